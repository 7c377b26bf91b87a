import type { Queryable } from './database.ts';

/** `local` waits for this server's disk. Only where there is a synchronous standby it gives something up. */
const LOSSY = `
  select name || '=' || setting as setting from pg_settings
  where (name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off')
    or (name = 'synchronous_commit' and setting = 'local' and current_setting('synchronous_standby_names') <> '')
  order by name`;

/** The settings with which the server may lose what it has committed, such as `synchronous_commit=off`. */
export async function lossySettings(store: Queryable): Promise<string[]> {
  const rows = await store.query<{ setting: string }>(LOSSY);
  return rows.map(({ setting }) => setting);
}
