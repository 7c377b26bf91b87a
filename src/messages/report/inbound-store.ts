import { formerIdsOf, type NamedChannel } from '../../channels/store.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import { storedInbound } from '../inbound-content.ts';

/** A message from a person, as a notification brings it. */
export interface InboundMessage {
  accountId: string;
  channelId: string;
  /** The provider's id of the number that it was written to. */
  phoneNumberId: string;
  /**
   * The channels that the number it was written to had before, in any account. One of them may have received it already, and what
   * it answers may be of one in this account.
   */
  formerChannels: readonly NamedChannel[];
  mode: Mode;
  /** Our id, newly made. */
  id: string;
  providerMessageId: string;
  type: string;
  phone: string | null;
  userId: string | null;
  content: unknown;
  /** What the person is called, as the provider sent it. */
  profile: Record<string, unknown> | undefined;
  replyToProviderMessageId: string | null;
  /** When it was written. */
  at: Date;
  /** When we were told of it. */
  receivedAt: Date;
}

/**
 * What stands in the place of a message's provider id once its person is erased, because a number can be read out of the id. It is kept so
 * that the message does not come back when the provider repeats it. The hash needs no secret key: ids are too random to be guessed.
 */
export const erasedId = (providerMessageId: string) =>
  `encode(sha256(convert_to(${providerMessageId}, 'UTF8')), 'hex')`;

/** What stands for it once the account is erased too: of a message whose person was not erased before, and of one whose was. */
const ERASED_WITH_ACCOUNT = `${erasedId('i.provider_message_id')}, ${erasedId(erasedId('i.provider_message_id'))}`;

/**
 * Writes inbound messages, each once however often the provider repeats it. Each is linked to the message that it answers: one of the same
 * number, whoever wrote it, which may be among these. The claim of their ids is what makes it once, also between nodes.
 *
 * Before the claim, the statement looks for the id and for the hash that stands for an erased one. At every moment of an erasure one of
 * the two is there; the claim alone would wait for the erasure to end, and then find the id free.
 *
 * `offset 0` has the ids looked up one by one, even while the planner believes that there are none.
 */
const INBOUND_INSERT = `
  with incoming as (
    select * from unnest($1::uuid[], $2::uuid[], $3::mode[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::jsonb[], $10::text[], $11::timestamptz[], $12::text[], $13::text[],
      $14::timestamptz[])
    as t(account_id, channel_id, mode, id, provider_message_id, type, phone, user_id, content, reply_to, at, channels,
      phone_number_id, received_at)
  ), claimed as (
    insert into inbound_id (account_id, channel_id, provider_message_id, message_id)
    select account_id, channel_id, provider_message_id, id from incoming i
    where not exists (
      select from inbound_id e where e.account_id = i.account_id and e.channel_id = i.channel_id
        and e.provider_message_id in (i.provider_message_id, ${erasedId('i.provider_message_id')}) offset 0)
      and not exists (
        select from erased_inbound_id e where e.mode = i.mode and e.phone_number_id = i.phone_number_id
          and e.provider_message_id_sha256 in (${ERASED_WITH_ACCOUNT}) offset 0)
    order by account_id, channel_id, provider_message_id, id
    on conflict do nothing
    returning account_id, channel_id, provider_message_id, message_id
  )
  insert into message (account_id, id, channel_id, mode, direction, type, phone, user_id, status, provider_message_id,
    content, reply_to_id, reply_to_provider_message_id, outcome, outcome_at, received_at, updated_at)
  select i.account_id, i.id, i.channel_id, i.mode, 'inbound', i.type, i.phone, i.user_id, 'received', i.provider_message_id,
    i.content, coalesce(answered.message_id, beside.message_id), i.reply_to, 'received', i.at, i.received_at,
    clock_timestamp()
  from incoming i
  left join claimed as beside on beside.account_id = i.account_id and beside.channel_id = i.channel_id
    and beside.provider_message_id = i.reply_to
  left join lateral (
    select m.id as message_id from message m
    where i.reply_to is not null and m.account_id = i.account_id and m.channel_id = any(i.channels::uuid[])
      and m.provider_message_id = i.reply_to
    limit 1
  ) as answered on true
  where i.id in (select message_id from claimed)
  returning id`;

/** Returns the ids of those that are new. */
export async function insertInbound(tx: Queryable, messages: readonly InboundMessage[]): Promise<Set<string>> {
  const before = await findReceivedBefore(tx, messages);
  return insertUnclaimed(
    tx,
    messages.filter(({ id }) => !before.has(id)),
  );
}

const INBOUND_RECEIVED_BEFORE = `
  select t.id
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) as t(account_id, channel_id, provider_message_id, id)
  cross join lateral (
    select from inbound_id k where k.account_id = t.account_id and k.channel_id = t.channel_id
      and k.provider_message_id in (t.provider_message_id, ${erasedId('t.provider_message_id')}) offset 0) before`;

/**
 * The ids of those that a former channel of the number has received, in whichever account: what the number's former owner was told is not
 * for the present one. Most numbers have no former channel, and then the store is not asked.
 */
async function findReceivedBefore(tx: Queryable, messages: readonly InboundMessage[]): Promise<Set<string>> {
  const former = messages.flatMap((message) =>
    message.formerChannels.map((channel) => ({ ...message, accountId: channel.account_id, channelId: channel.id })),
  );
  if (former.length === 0) return new Set();
  const rows = await tx.query<{ id: string }>(INBOUND_RECEIVED_BEFORE, [
    former.map(({ accountId }) => accountId),
    former.map(({ channelId }) => channelId),
    former.map(({ providerMessageId }) => providerMessageId),
    former.map(({ id }) => id),
  ]);
  return new Set(rows.map(({ id }) => id));
}

async function insertUnclaimed(tx: Queryable, messages: readonly InboundMessage[]): Promise<Set<string>> {
  const column = <Value>(read: (message: InboundMessage) => Value) => messages.map(read);
  const rows = await tx.query<{ id: string }>(INBOUND_INSERT, [
    column((message) => message.accountId),
    column((message) => message.channelId),
    column((message) => message.mode),
    column((message) => message.id),
    column((message) => message.providerMessageId),
    column((message) => message.type),
    column((message) => message.phone),
    column((message) => message.userId),
    column((message) => JSON.stringify(storedInbound(message.content, message.profile))),
    column((message) => message.replyToProviderMessageId),
    column((message) => message.at),
    // Lists of different lengths, which only texts can be side by side.
    column(channelsText),
    column((message) => message.phoneNumberId),
    column((message) => message.receivedAt),
  ]);
  return new Set(rows.map(({ id }) => id));
}

function channelsText({ accountId, channelId, formerChannels }: InboundMessage): string {
  return `{${[channelId, ...formerIdsOf(accountId, formerChannels)].join(',')}}`;
}

/**
 * Takes the ids away from an account that is erased. What stays of them is a hash, so that the number's next owner is not told of messages
 * that the provider repeats. The account's channels must still be there.
 */
const INBOUND_ID_DETACH = `
  with gone as (
    delete from inbound_id where ctid = any(array(
      select ctid from inbound_id where account_id = $1 limit $2))
    returning channel_id, provider_message_id, created_at
  ), kept as (
    insert into erased_inbound_id (mode, phone_number_id, provider_message_id_sha256, created_at)
    select c.mode, c.phone_number_id, ${erasedId('gone.provider_message_id')}, gone.created_at
    from gone join channel c on c.account_id = $1 and c.id = gone.channel_id
    on conflict do nothing
  )
  select 1 as gone from gone`;

/** Returns how many, `limit` at the most. */
export async function detachInboundIds(tx: Queryable, accountId: string, limit: number): Promise<number> {
  return (await tx.query(INBOUND_ID_DETACH, [accountId, limit])).length;
}

const INBOUND_ID_EXPIRE = `
  delete from inbound_id where ctid in (
    select ctid from inbound_id where created_at <= now() - $1 * interval '1 day' limit 5000)
  returning 1 as gone`;

/** Forgets some that are so old that no notification can bring them again; returns how many. */
export async function expireInboundIds(store: Queryable, days: number): Promise<number> {
  return (await store.query(INBOUND_ID_EXPIRE, [days])).length;
}

const ERASED_INBOUND_ID_EXPIRE = `
  delete from erased_inbound_id where ctid in (
    select ctid from erased_inbound_id where created_at <= now() - $1 * interval '1 day' limit 5000)
  returning 1 as gone`;

/** The same for what stays of erased accounts. */
export async function expireErasedInboundIds(store: Queryable, days: number): Promise<number> {
  return (await store.query(ERASED_INBOUND_ID_EXPIRE, [days])).length;
}
