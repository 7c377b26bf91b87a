import type { MessageError } from '../../kernel/message-errors.ts';
import type { Mode } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { MessageStatus, RefusedEntry } from '../message.ts';

/** A message as it is read, from its row or, while it is under way, from its request's intent. */
export interface MessageRow {
  id: string;
  request_id: string | null;
  channel_id: string;
  direction: 'outbound' | 'inbound';
  type: string;
  phone: string | null;
  user_id: string | null;
  status: MessageStatus;
  provider_message_id: string | null;
  client_reference: string | null;
  own_reference: boolean;
  held: boolean;
  content: unknown;
  error: MessageError | null;
  pricing: unknown;
  reply_to_id: string | null;
  reply_to_provider_message_id: string | null;
  outcome: MessageStatus | null;
  outcome_at: Date | null;
  outcome_error: MessageError | null;
  updated_at: Date | null;
}

const STORED_COLUMNS = `
  select id, request_id, channel_id, direction, type, phone, user_id, status, provider_message_id, client_reference,
    own_reference, held, content, error, pricing, reply_to_id, reply_to_provider_message_id, outcome, outcome_at, outcome_error,
    updated_at
  from`;
const STORED = `${STORED_COLUMNS} message`;

/** The same columns for messages under way, which stand packed in their request until their outcome is known. */
const UNDER_WAY = `
  select i.id, r.id as request_id, r.channel_id, 'outbound'::direction as direction, r.type, i.phone, i.user_id,
    i.status, null::text as provider_message_id, i.client_reference,
    i.own_reference, false as held, i.components as content, i.error, null::jsonb as pricing, null::uuid as reply_to_id,
    null::text as reply_to_provider_message_id, null::message_status as outcome, null::timestamptz as outcome_at,
    null::jsonb as outcome_error, null::timestamptz as updated_at
  from request r cross join lateral jsonb_to_recordset(r.intent) as i(id uuid, phone text, user_id text,
    client_reference text, own_reference boolean, components jsonb, status message_status, error jsonb)`;

/**
 * The messages of the account that have one of these ids, looked up one by one (`offset 0` keeps it so): before version 17,
 * PostgreSQL takes a list of ids in a young week for dearer than all messages that the account has there.
 */
const messagesOf = (ids: string) => `(
  select m.* from (select distinct unnest(${ids}) as id) as wanted
  cross join lateral (select * from message where account_id = $1 and id = wanted.id offset 0) as m) as message`;
const MESSAGE_BY_IDS = `${STORED_COLUMNS} ${messagesOf('$3::uuid[]')} where account_id = $1 and mode = $2 order by id`;
/** Only the requests that have one of the messages are unpacked: an account may have hundreds that run, of 50 messages each. */
const MESSAGE_UNDER_WAY_BY_IDS = `
  ${UNDER_WAY} where r.account_id = $1 and r.mode = $2 and r.completed_at is null and r.message_ids && $3::uuid[]
    and i.id = any($3::uuid[])`;

/**
 * Finds messages by id, in the order of their making. Those under way are read first: one that is completed between
 * the two queries is then found twice, never missed, and its row wins.
 */
export async function findMessages(
  store: Queryable,
  accountId: string,
  mode: Mode,
  ids: readonly string[],
): Promise<MessageRow[]> {
  const underWay = await store.query<MessageRow>(MESSAGE_UNDER_WAY_BY_IDS, [accountId, mode, ids]);
  const stored = await store.query<MessageRow>(MESSAGE_BY_IDS, [accountId, mode, ids]);
  return mergeById(underWay, stored).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What a list of messages is narrowed to; absent members narrow nothing. */
export interface MessageFilter {
  request_id?: string;
  message_id?: string;
  client_reference?: string;
  to_phone?: string;
  to_user_id?: string;
  /** Messages from people to these channels. */
  to_channels?: string[];
  status?: MessageStatus;
  direction?: string;
  /** Ids from this one on. */
  since: string;
  /** Ids before this one: the page's cursor. */
  before?: string;
}

/**
 * The condition of each filter on a row of `message` and on a message under way. `$` stands for its parameter.
 */
const FILTERS: {
  name: Exclude<keyof MessageFilter, 'since' | 'before'>;
  type: string;
  stored: string;
  underWay: string;
}[] = [
  {
    name: 'request_id',
    type: 'uuid',
    stored: 'request_id = $::uuid',
    underWay: 'r.id = $::uuid',
  },
  {
    name: 'message_id',
    type: 'text',
    stored: 'provider_message_id = $',
    // It has none yet. The parameter is named all the same, because each must have a type.
    underWay: '$::text is null',
  },
  { name: 'client_reference', type: 'text', stored: 'client_reference = $', underWay: 'i.client_reference = $' },
  { name: 'to_phone', type: 'text', stored: "direction = 'outbound' and phone = $", underWay: 'i.phone = $' },
  { name: 'to_user_id', type: 'text', stored: "direction = 'outbound' and user_id = $", underWay: 'i.user_id = $' },
  {
    name: 'to_channels',
    type: 'uuid[]',
    stored: "direction = 'inbound' and channel_id = any($::uuid[])",
    underWay: '$::uuid[] is null',
  },
  {
    name: 'status',
    type: 'message_status',
    stored: 'status = $::message_status',
    // A message that has its row already, while others of its request are under way, has another status by now. Looked up
    // one by one: `not exists` was planned to read all messages of the account.
    underWay: `i.status = $::message_status
      and (select m.id from message m where m.account_id = r.account_id and m.id = i.id limit 1) is null`,
  },
  { name: 'direction', type: 'direction', stored: 'direction = $::direction', underWay: "$::direction = 'outbound'" },
];
/** Account, mode and limit. */
const PARAMETERS_BEFORE = 3;

/**
 * The filters that an index serves, the narrowest first: a whole campaign may have one reference. A list uses one of these
 * indexes, and checks the other filters row by row. A connection keeps a plan, over all weeks, of every statement it has run,
 * so there must be few statements, whatever filters callers combine.
 */
const BY_INDEX = ['request_id', 'message_id', 'to_phone', 'to_user_id', 'client_reference'] as const;

/**
 * What a list goes by where few messages at most pass its narrowest filter: those are looked up first. Otherwise the plan may
 * follow the order of the page, and read all messages of the account.
 */
const FEW: Partial<Record<keyof MessageFilter, string>> = {
  request_id: messagesOf('(select message_ids from request where account_id = $1 and id = $::uuid)'),
  message_id: '(select * from message where account_id = $1 and provider_message_id = $ offset 0) as message',
};

/**
 * Of the rows in the index `message_rare`, which holds what most messages are not, those that stand there by this word. Both
 * are written as in migration 19, else the index is not used. What is `unknown` has that error, and nothing else has it.
 */
const BY_RARITY = `
  (direction = 'inbound' or error is not null or outcome is null) is true
  and case when direction = 'inbound' then 'received' when error is null then 'under_way'
    when error ->> 'code' = 'outcome_unknown' then 'unknown' else 'failed' end = $`;
/** The word of each status. A list of another status, with no filter that has an index, reads far if there are few. */
const RARITIES: Partial<Record<MessageStatus, string>> = {
  pending: 'under_way',
  transmitting: 'under_way',
  failed: 'failed',
  unknown: 'unknown',
  received: 'received',
};

const OF_MODE = 'mode = $2';
/**
 * The same, where `message_test` serves a list that no filter's index does: a parameter would not tell the planner that it may.
 * Compared as a text, or the planner would compare the parameter with the word.
 */
const OF_TEST_MODE = "mode = 'test' and mode::text = $2";

/** A statement has `before` only if it is given: the planner takes every bound for narrow, also one that is none. */
const SINCE = { name: 'since', stored: 'id >= $::uuid', underWay: 'i.id >= $::uuid' } as const;
const BEFORE = { name: 'before', stored: 'id < $::uuid', underWay: 'i.id < $::uuid' } as const;

interface Narrowing {
  /** `$` stands for the value. */
  condition: string;
  value: unknown;
}

/** The newest messages that pass the filter, newest first, at most `limit`. */
export async function listMessages(
  store: Queryable,
  accountId: string,
  mode: Mode,
  filter: MessageFilter,
  limit: number,
): Promise<MessageRow[]> {
  const directions = directionsOf(filter);
  // No message goes both ways, and none would be found in all that there are.
  if (directions.size > 1) return [];
  const leading = BY_INDEX.find((name) => filter[name] !== undefined);
  const rarity = RARITIES[filter.status ?? (directions.has('inbound') ? 'received' : 'accepted')];
  const byRarity = leading === undefined && rarity !== undefined ? [{ condition: BY_RARITY, value: rarity }] : [];
  const list = (select: string, narrowings: readonly Narrowing[]) => {
    const conditions = narrowings.map(
      ({ condition }, place) => ` and ${withParameter(condition, place + PARAMETERS_BEFORE + 1)}`,
    );
    const sql = `${select}${conditions.join('')} order by id desc limit $3`;
    return store.query<MessageRow>(sql, [accountId, mode, limit, ...narrowings.map(({ value }) => value)]);
  };
  const underWay = await list(
    `${UNDER_WAY} where r.account_id = $1 and r.mode = $2 and r.completed_at is null`,
    narrow(filter, 'underWay', leading),
  );
  const inOrder = leading === undefined && rarity === undefined;
  const ofMode = inOrder && mode === 'test' ? OF_TEST_MODE : OF_MODE;
  const stored = await list(`${storedBy(leading)} where account_id = $1 and ${ofMode}`, [
    ...narrow(filter, 'stored', leading),
    ...byRarity,
  ]);
  const newestFirst = mergeById(underWay, stored).sort((a, b) => (a.id > b.id ? -1 : 1));
  return newestFirst.slice(0, limit);
}

function storedBy(leading: keyof MessageFilter | undefined): string {
  const few = leading === undefined ? undefined : FEW[leading];
  if (few === undefined) return STORED;
  const place = FILTERS.findIndex(({ name }) => name === leading);
  return `${STORED_COLUMNS} ${withParameter(few, place + PARAMETERS_BEFORE + 1)}`;
}

/** The directions that the filters ask for. */
function directionsOf({ direction, status, to_phone, to_user_id, to_channels }: MessageFilter): Set<string> {
  const asked = [
    direction,
    status && (status === 'received' ? 'inbound' : 'outbound'),
    (to_phone ?? to_user_id) && 'outbound',
    to_channels && 'inbound',
  ];
  return new Set(asked.filter((one) => one !== undefined));
}

function narrow(
  filter: MessageFilter,
  side: 'stored' | 'underWay',
  leading: keyof MessageFilter | undefined,
): Narrowing[] {
  const bounds = filter.before === undefined ? [SINCE] : [SINCE, BEFORE];
  return [
    ...FILTERS.map(({ name, type, [side]: condition }) => ({
      condition: name === leading ? condition : `($::${type} is null or (${condition}))`,
      value: filter[name] ?? null,
    })),
    ...bounds.map(({ name, [side]: condition }) => ({ condition, value: filter[name] })),
  ];
}

/** `$1` is the account everywhere. */
function withParameter(condition: string, place: number): string {
  return condition.replaceAll(/\$(?!1)/g, `$${place}`);
}

function mergeById(underWay: MessageRow[], stored: MessageRow[]): MessageRow[] {
  return [...new Map([...underWay, ...stored].map((row) => [row.id, row])).values()];
}

/** A message with what an event about it needs beside. */
export interface EventSourceRow extends MessageRow {
  account_id: string;
  mode: Mode;
  channel_number: string | null;
  traceparent: string | null;
}

const MESSAGE_FOR_EVENTS = `
  select m.account_id, m.mode, m.id, m.request_id, m.channel_id, m.direction, m.type, m.phone, m.user_id, m.status,
    m.provider_message_id, m.client_reference, m.own_reference, m.held, m.content, m.error, m.pricing, m.reply_to_id,
    m.reply_to_provider_message_id, m.outcome, m.outcome_at, m.outcome_error, m.updated_at,
    c.phone_number as channel_number, r.traceparent
  from unnest($1::uuid[], $2::uuid[]) as wanted(account_id, id)
  join message m on m.account_id = wanted.account_id and m.id = wanted.id
  left join channel c on c.account_id = m.account_id and c.id = m.channel_id
  left join request r on r.account_id = m.account_id and r.id = m.request_id`;

/** Messages of any accounts, as they stand in this transaction. */
export function findEventSources(
  tx: Queryable,
  messages: readonly { accountId: string; messageId: string }[],
): Promise<EventSourceRow[]> {
  return tx.query<EventSourceRow>(MESSAGE_FOR_EVENTS, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ messageId }) => messageId),
  ]);
}

/** As the database writes it into JSON. */
export interface TimelineRow {
  status: string;
  at: string;
  received_at: string;
  note: 'late' | 'duplicate' | null;
  error: MessageError | null;
}

/** One statement sees one moment: a status is never shown without its line, nor a line before its status. */
const MESSAGE_WITH_TIMELINE = `
  select stored.*, array(
    select to_jsonb(line) from (
      select status, at, received_at, note, error from timeline where account_id = $1 and message_id = $3 order by id
    ) line) as timeline
  from (${STORED} where account_id = $1 and mode = $2 and id = $3) stored`;

/** One message, and what was reported of it after its outcome, oldest first. Of one under way nothing was yet. */
export async function findMessageWithTimeline(
  store: Queryable,
  accountId: string,
  mode: Mode,
  id: string,
): Promise<(MessageRow & { timeline: TimelineRow[] }) | undefined> {
  const [underWay] = await store.query<MessageRow>(MESSAGE_UNDER_WAY_BY_IDS, [accountId, mode, [id]]);
  const [stored] = await store.query<MessageRow & { timeline: TimelineRow[] }>(MESSAGE_WITH_TIMELINE, [
    accountId,
    mode,
    id,
  ]);
  return stored ?? (underWay && { ...underWay, timeline: [] });
}

export interface RequestRow {
  id: string;
  channel_id: string;
  type: string;
  client_reference: string | null;
  content: unknown;
  refused: RefusedEntry[] | null;
  message_ids: string[];
  completed_at: Date | null;
}

/** One by one, as `messagesOf` does. */
const REQUEST_BY_IDS = `
  select r.id, channel_id, type, client_reference, content, refused, message_ids, completed_at
  from (select distinct unnest($3::uuid[]) as id) as wanted
  cross join lateral (select * from request where account_id = $1 and id = wanted.id offset 0) as r
  where mode = $2`;

export function findRequests(
  store: Queryable,
  accountId: string,
  mode: Mode,
  ids: readonly string[],
): Promise<RequestRow[]> {
  return store.query<RequestRow>(REQUEST_BY_IDS, [accountId, mode, ids]);
}

const CHANNEL_BY_NUMBER = 'select id from channel where account_id = $1 and phone_number = $2';

/** The account's channels of a phone number, removed ones too. */
export async function findChannelsByNumber(store: Queryable, accountId: string, number: string): Promise<string[]> {
  return (await store.query<{ id: string }>(CHANNEL_BY_NUMBER, [accountId, number])).map(({ id }) => id);
}

const CHANNEL_NUMBERS = 'select id, phone_number from channel where account_id = $1 and id = any($2::uuid[])';

/** The phone numbers of channels, removed ones too, because their messages stay. */
export async function findChannelNumbers(
  store: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await store.query<{ id: string; phone_number: string }>(CHANNEL_NUMBERS, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row.phone_number]));
}
