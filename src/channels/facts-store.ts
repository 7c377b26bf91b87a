import type { SenderFacts } from '../provider/port.ts';
import type { Queryable } from '../store/database.ts';
import { CHANNEL_COLUMNS, type ChannelRow, channelColumnsOf, idsOf, type NamedChannel } from './store.ts';

/**
 * Claims channels whose facts are due, so that another node finds nothing to read. The claim of a live channel lapses: a number that could
 * not be asked for, or whose node has died, is due again, behind those that have waited longer. Channels that a notification has made
 * due (`facts_read_at is null`) come first. Test channels become due only like this.
 */
const CHANNEL_CLAIM_FACTS = `
  with due as (
    select account_id, id from channel
    where status = 'connected' and (mode = 'live' or facts_read_at is null)
      and coalesce(facts_read_at, '-infinity') < now() - make_interval(secs => $1)
    order by coalesce(facts_read_at, '-infinity') limit $2 for no key update skip locked
  )
  update channel set facts_read_at = now() - case when mode = 'live' then make_interval(secs => $1 - $3) else interval '0' end
  from due where channel.account_id = due.account_id and channel.id = due.id returning channel.id, channel.account_id`;

/**
 * Longer than it takes to ask, and longer than until the next round: the provider limits such questions, and counts also those that it does
 * not answer.
 */
const CLAIMED_SECONDS = 60;

/** `claimed_at` is the mark of the claim, as a text, which keeps the microseconds. Whoever asks or claims again replaces it. */
const CHANNEL_READ = `
  select ${CHANNEL_COLUMNS}, facts_read_at::text as claimed_at from channel where account_id = any($1) and id = any($2)`;

export type ClaimedChannel = ChannelRow & { claimed_at: string | null };

/** Channels, at most `limit`, whose facts were not read for `everySeconds`. */
export async function claimForFacts(store: Queryable, everySeconds: number, limit: number): Promise<ClaimedChannel[]> {
  const due = await store.query<{ account_id: string; id: string }>(CHANNEL_CLAIM_FACTS, [
    everySeconds,
    limit,
    CLAIMED_SECONDS,
  ]);
  if (due.length === 0) return [];
  return store.query<ClaimedChannel>(CHANNEL_READ, idsOf(due));
}

/** A time that lies ahead was written before the database's clock was set back. What is locked is left to the next sweep. */
const CHANNEL_HASTEN_FACTS = `
  update channel set facts_read_at = null where ctid = any(array(
    select ctid from channel
    where status = 'connected' and mode = 'live' and coalesce(facts_read_at, '-infinity') > now() + interval '1 minute'
    limit 1000 for no key update skip locked))
  returning account_id`;

/** Makes some channels due whose facts were read at a time of a clock that was wrong; returns how many. */
export async function hastenFacts(store: Queryable): Promise<number> {
  return (await store.query(CHANNEL_HASTEN_FACTS)).length;
}

/** Unless a notification has asked meanwhile, another reading has begun, or the token was changed, with newer facts. */
const CHANNEL_NOTE_READ = `
  update channel set facts_read_at = now()
  where account_id = $1 and id = $2 and facts_read_at = $3::text::timestamptz and access_token_sealed = $4 returning id`;

/**
 * The provider has answered: the channel is due again when its time has come. False: something has happened since it was asked, and what
 * it has answered may be older than what is known.
 */
export async function noteFactsRead(store: Queryable, claimed: ClaimedChannel): Promise<boolean> {
  const { account_id: accountId, id, claimed_at: claimedAt, access_token_sealed: token } = claimed;
  return (await store.query(CHANNEL_NOTE_READ, [accountId, id, claimedAt, token])).length > 0;
}

/**
 * Writes only if the provider tells something new, and if the channel still has the token that was asked with. The last known messaging limit
 * stays where the provider tells none: it leaves that member out of some answers, and a notification tells of a change as well.
 */
const CHANNEL_NOTE_FACTS = `
  update channel set name = $4, quality = $5, throughput_per_second = $6, messaging_limit = coalesce($7, messaging_limit),
    updated_at = now()
  where account_id = $1 and id = $2 and access_token_sealed = $3 and status <> 'removed'
    and (name, quality, throughput_per_second, messaging_limit)
      is distinct from ($4, $5, $6, coalesce($7, messaging_limit))
  returning ${CHANNEL_COLUMNS}`;

/** The channel, if the facts change it. */
export async function noteFacts(
  tx: Queryable,
  { account_id: accountId, id, access_token_sealed: token }: ChannelRow,
  { name, quality, throughputPerSecond, messagingLimit }: SenderFacts,
): Promise<ChannelRow | undefined> {
  const values = [accountId, id, token, name, quality, throughputPerSecond, messagingLimit];
  return (await tx.query<ChannelRow>(CHANNEL_NOTE_FACTS, values))[0];
}

const CHANNEL_ASK_AGAIN = `
  update channel set facts_read_at = null from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  where channel.account_id = wanted.account_id and channel.id = wanted.id and facts_read_at is not null`;

/** Makes the facts of channels due, because the provider told that they have changed. */
export async function askFactsAgain(tx: Queryable, targets: readonly NamedChannel[]): Promise<void> {
  await tx.query(CHANNEL_ASK_AGAIN, idsOf(targets));
}

const CHANNELS_NOTE_LIMIT = `
  update channel set messaging_limit = $3, updated_at = now()
  from unnest($1::uuid[], $2::uuid[]) as wanted(of_account, wanted_id)
  where account_id = of_account and id = wanted_id and messaging_limit is distinct from $3
  returning ${channelColumnsOf('= any($1::uuid[])')}`;

/** Keeps a messaging limit that the provider told of. Returns the channels that this changes. */
export function noteMessagingLimit(
  tx: Queryable,
  targets: readonly NamedChannel[],
  limit: string,
): Promise<ChannelRow[]> {
  return tx.query<ChannelRow>(CHANNELS_NOTE_LIMIT, [...idsOf(targets), limit]);
}

const CHANNELS_READ = `
  select ${channelColumnsOf('= any($1::uuid[])')}
  from unnest($1::uuid[], $2::uuid[]) as wanted(of_account, wanted_id)
  join channel on account_id = of_account and id = wanted_id order by account_id, id`;

/** Those that are there, in the order of their accounts and ids. */
export function readChannels(store: Queryable, targets: readonly NamedChannel[]): Promise<ChannelRow[]> {
  return store.query<ChannelRow>(CHANNELS_READ, idsOf(targets));
}
