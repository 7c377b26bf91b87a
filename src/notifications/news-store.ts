import type { Queryable } from '../store/database.ts';

/** In the order of the key, so that two nodes with the same news wait for each other and never cross. */
const NEWS_NOTE = `
  insert into applied_news (sha256)
  select decode(digest, 'hex') as sha256 from unnest($1::text[]) as digest order by sha256
  on conflict do nothing returning encode(sha256, 'hex') as digest`;

/** Notes news as applied. Returns those that were not noted before. */
export async function noteNews(tx: Queryable, digests: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ digest: string }>(NEWS_NOTE, [digests]);
  return new Set(rows.map(({ digest }) => digest));
}

const NEWS_EXPIRE = `
  delete from applied_news where ctid in (
    select ctid from applied_news where applied_at <= now() - $1 * interval '1 day' limit 5000)
  returning 1 as gone`;

/** Forgets some that are so old that they cannot come again; returns how many. */
export async function expireNews(store: Queryable, days: number): Promise<number> {
  return (await store.query(NEWS_EXPIRE, [days])).length;
}
