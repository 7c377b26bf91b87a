import { erasedId } from '../messages/report/inbound-store.ts';
import type { Queryable } from '../store/database.ts';
import { patternsOf, tellsOfPerson } from './reference-store.ts';
import { saidSince } from './said-since-store.ts';
import { type Reached, type Stretch, valuesOf, walk } from './stretch.ts';

/** What stands beside the names that were asked for, in rows with `phone` and `user_id`. */
const besides = (rows: string, asked: string) => `
    array(select distinct jsonb_build_object('asked', asked, 'name', name)
      from ${rows} cross join lateral (values (phone, user_id), (user_id, phone)) as pair(asked, name)
      where asked = any(${asked}::text[]) and name is not null)`;

const PERSON_NAMES = `
  with batch as (
    select id, phone, user_id from message
    where account_id = $1 and id < $2 order by id desc limit $3
  )
  select (select id from batch order by id limit 1) as reached,
    ${besides('batch', '$4')} as names`;

/** A phone number or a user id that stands in one message with the one by which a person was asked to be forgotten. */
export interface Name {
  asked: string;
  name: string;
}

interface Named {
  /** How far a step has got. */
  reached: Reached;
  names: Name[];
}

export function findNames(tx: Queryable, { accountId, place, limit, asked }: Stretch): Promise<Named> {
  return readNamed(tx, PERSON_NAMES, [accountId, place, limit, asked]);
}

async function readNamed(tx: Queryable, statement: string, values: readonly unknown[]): Promise<Named> {
  const [row] = await tx.query<Named>(statement, values);
  return row ?? { reached: null, names: [] };
}

/** Whether an event's message is the person's own. */
const IS_OWN = `array[message->>'to', message->>'from', message->>'user_id'] && $4::text[]`;
/** Whether it is somebody else's and tells of the person. */
const IS_TOLD = tellsOfPerson({
  type: `message->>'type'`,
  answered: `message->'reply_to'->>'message_id'`,
  content: `(message->(message->>'type'))`,
});

/** Whether an event told of a message whose person is erased: the other side of it is the account's own number. */
const TELLS_OF_NOBODY = `message->>'user_id' is null
          and message->>(case message->>'direction' when 'inbound' then 'from' else 'to' end) is null`;

/** A batch of answers ends when the events that they answer have so much: what somebody writes may have 4 MiB. */
const EVENT_BYTES_A_BATCH = 16 << 20;
/** What the database has compressed may be a hundred times as large. How large it is could only be told by reading it. */
const EVENT_BYTES = `pg_column_size(data)::bigint * case when pg_column_compression(data) is null then 1 else 100 end`;

/**
 * An endpoint's answer may repeat the event that it was sent. Answers are emptied before the events are, because the events say whom
 * they tell of. If the event is gone already, or was emptied while the attempt was under way, nobody knows any more whom it told
 * of, and the answer is emptied too. A test event tells of nobody. Events are looked up one by one (`offset 0` keeps it so): a
 * join was planned to read all of them. Each is judged once, however many answers to it are in the batch.
 */
const ATTEMPT_EMPTY = `
  with near as (
    select id, event_id, type, answer is not null as answered from attempt
    where account_id = $1 and id < $2 order by id desc limit $3
  ), placed as (
    select *, answered and row_number() over (partition by answered, event_id order by id desc) = 1 as judged from near
  ), counted as (
    select placed.*, sum(coalesce(e.bytes, 0)) over (order by placed.id desc) - coalesce(e.bytes, 0) as bytes_before
    from placed
    left join lateral (
      select ${EVENT_BYTES} as bytes from event where account_id = $1 and id = placed.event_id and placed.judged offset 0) e on true
  ), fitting as (
    select *, bool_and(not judged or bytes_before < ${EVENT_BYTES_A_BATCH}) over (order by id desc) as fits from counted
  ), batch as (
    select id, event_id, type, answered, judged from fitting where fits
  ), of_person as materialized (
    select batch.event_id from batch
    left join lateral (
      select id, data->'message' as message from event where account_id = $1 and id = batch.event_id offset 0) e on true
    where batch.judged and case when e.id is null then batch.type <> 'endpoint.test'
      else message is not null and (${TELLS_OF_NOBODY}) or ${IS_OWN} or ${IS_TOLD} end
  ), emptied as (
    update attempt set answer = null
    where account_id = $1 and answer is not null and id = any(array(
      select id from batch where answered and event_id in (select event_id from of_person)))
  )
  select id as reached from batch order by id limit 1`;

export function emptyAttempts(tx: Queryable, stretch: Stretch): Promise<Reached> {
  return walk(tx, ATTEMPT_EMPTY, stretch, patternsOf(stretch.persons));
}

/**
 * The batch ends when its events have $6 bytes as they are stored, or when the messages that it has found have them as texts: the database
 * may have compressed them to a hundredth. One of them is always taken. `offset 0` has a message taken out of its event once, because the
 * database unpacks a large event for every look at it.
 */
const EVENT_OF_PERSON = `
  with near as (
    select id, data, pg_column_size(data) as bytes from event
    where account_id = $1 and id < $2 order by id desc limit $3
  ), sized as (
    select id, data, sum(bytes) over (order by id desc) - bytes as bytes_before from near
  ), batch as (
    select id, data from sized where bytes_before < $6
  ), told as (
    select id, message, own, octet_length(message::text) as bytes from batch
    cross join lateral (select data->'message' as message offset 0) as one
    cross join lateral (select ${IS_OWN} as own offset 0) as whose
    where own or ${IS_TOLD}
  ), counted as (
    select id, message, own, sum(bytes) over (order by id desc) - bytes as bytes_before from told
  ), found as (
    select id, message, own from counted where bytes_before < $6
  )
  select
    case when (select count(*) from found) < (select count(*) from told) then (select id from found order by id limit 1)
      else (select id from batch order by id limit 1) end as reached,
    (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'message', message, 'own', own)), '[]') from found) as found`;

/** An event that tells of the person, with its message. */
export interface EventOfPerson {
  id: string;
  message: Record<string, unknown>;
  /** Whether the message is the person's, and not somebody else's. */
  own: boolean;
}

export async function findEventsOfPerson(
  tx: Queryable,
  stretch: Stretch,
  bytesMax: number,
): Promise<{ reached: Reached; found: EventOfPerson[] }> {
  const rows = await tx.query<{ reached: Reached; found: EventOfPerson[] }>(EVENT_OF_PERSON, [
    ...valuesOf(stretch),
    patternsOf(stretch.persons),
    bytesMax,
  ]);
  return rows[0] ?? { reached: null, found: [] };
}

const EVENT_REPLACE = `
  update event e set data = jsonb_build_object('message', r.message)
  from unnest($2::uuid[], $3::jsonb[]) as r(id, message) where e.account_id = $1 and e.id = r.id`;

export async function replaceMessages(
  tx: Queryable,
  accountId: string,
  events: readonly Pick<EventOfPerson, 'id' | 'message'>[],
): Promise<void> {
  const messages = events.map(({ message }) => JSON.stringify(message));
  await tx.query(EVENT_REPLACE, [accountId, events.map(({ id }) => id), messages]);
}

/**
 * Whether a request names anybody beside the person. Two of its recipients may be the same person, once by number and once by user
 * id; and a person who was erased before has no name left. Messages are looked up one by one (`offset 0` keeps it so), because for
 * a list of ids all messages of the account were planned to be read.
 */
export const SOMEBODY_ELSE = `exists (
        select from unnest(r.message_ids) as part(id)
        cross join lateral (select phone, user_id from message where account_id = $1 and id = part.id offset 0) o
        where coalesce(o.phone, o.user_id) is not null
          and (o.phone = any($4)) is not true and (o.user_id = any($4)) is not true)`;

/**
 * Rows are found by a list of their ids, because a join was planned to read all requests of the account for each stretch.
 * The provider's ids of messages are emptied too, because the person's number can be read out of them; of inbound ones, which the
 * provider may repeat, a hash stays. What a request holds for all its recipients stays, unless this person is the only one left.
 * Messages of a request that still runs keep their names until the second walk: the request is found by these names, and ending
 * it would write its messages anew.
 */
const MESSAGE_EMPTY = `
  with batch as (
    select id, phone, user_id, request_id, channel_id, direction, provider_message_id, outcome_at, received_at from message
    where account_id = $1 and id < $2 order by id desc limit $3
  ), named as (
    select * from batch where (phone = any($4) or user_id = any($4)) and ${saidSince('$4', '$6')} is not true
  ), running as (
    select id from request
    where account_id = $1 and id = any(array(select request_id from named)) and completed_at is null
  ), found as (
    select * from named where request_id is null or request_id not in (select id from running)
  ), emptied as (
    update message m set phone = null, user_id = null, content = null, provider_message_id = null,
      client_reference = null, reply_to_provider_message_id = null,
      error = m.error - 'errors', outcome_error = m.outcome_error - 'errors'
    where m.account_id = $1 and m.id = any(array(select id from found))
  ), forgotten as (
    delete from inbound_id where ctid = any(array(
      select i.place from found
      cross join lateral (
        select ctid as place from inbound_id where account_id = $1 and channel_id = found.channel_id
          and provider_message_id = found.provider_message_id limit 1) i
      where found.direction = 'inbound'))
    returning channel_id, provider_message_id, message_id, created_at
  ), remembered as (
    insert into inbound_id (account_id, channel_id, provider_message_id, message_id, created_at)
    select $1, channel_id, ${erasedId('provider_message_id')}, message_id, created_at from forgotten
    on conflict do nothing
  ), requests as (
    update request r set
      content = case when ${SOMEBODY_ELSE} then r.content end,
      client_reference = case when ${SOMEBODY_ELSE} then r.client_reference end,
      idempotency_key = case when ${SOMEBODY_ELSE} then r.idempotency_key end
    where r.account_id = $1 and r.id = any(array(select request_id from found))
  )
  select (select id from batch order by id limit 1) as reached,
    ${besides('named', '$5')} as names`;

/**
 * Returns also the names that stand beside those that were asked for, as `findNames` does: a report may have told one since that was asked, and when
 * the message is emptied nobody can find it any more.
 */
export function emptyMessages(tx: Queryable, stretch: Stretch): Promise<Named> {
  return readNamed(tx, MESSAGE_EMPTY, [...valuesOf(stretch), stretch.asked, stretch.askedAt]);
}

/**
 * Raw bodies belong to no account, so all of them are looked through. A notification that was applied needs its body no more, so
 * the whole body is emptied; one that still waits, or was set aside, stays, because it may hold news of other people. The batch ends
 * when its bodies have $4 bytes; how many a body has is known without reading it.
 */
const NOTIFICATION_EMPTY = `
  with near as (
    select id, state, body, octet_length(body) as bytes from notification
    where id < $1 order by id desc limit $2
  ), counted as (
    select id, state, body, sum(bytes) over (order by id desc) - bytes as bytes_before from near
  ), batch as (
    select id, state, body from counted where bytes_before < $4
  ), emptied as (
    update notification n set body = '' from batch
    where n.id = batch.id and n.state = 'applied' and exists (
      select from unnest($3::text[]) as name where position(convert_to(name, 'UTF8') in batch.body) > 0)
  )
  select id as reached from batch order by id limit 1`;

/** `persons` as the provider writes them: a number without its plus. `bytesMax` is how many may be looked through, for all names together. */
export async function emptyNotifications(
  tx: Queryable,
  { place, limit, persons }: Stretch,
  bytesMax: number,
): Promise<Reached> {
  const names = persons.map((person) => person.replace(/^\+/, ''));
  const bytes = Math.ceil(bytesMax / names.length);
  const rows = await tx.query<{ reached: string }>(NOTIFICATION_EMPTY, [place, limit, names, bytes]);
  return rows[0]?.reached ?? null;
}
