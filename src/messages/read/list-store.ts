import type { Owner } from '../../kernel/principal.ts';
import type { Queryable } from '../../store/database.ts';
import type { MessageStatus } from '../message.ts';
import { IF_SMALL, type ListedMessage, mergeById, messagesOf, storedColumns, underWay } from './row-store.ts';

export type Direction = ListedMessage['direction'];

/** What a list of messages is narrowed to; absent members narrow nothing. */
export interface MessageFilter {
  request_id?: string;
  message_id?: string;
  client_reference?: string;
  /** The person's number. */
  phone?: string;
  user_id?: string;
  channels?: string[];
  status?: MessageStatus;
  direction?: Direction;
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
  { name: 'phone', type: 'text', stored: 'phone = $', underWay: 'i.phone = $' },
  { name: 'user_id', type: 'text', stored: 'user_id = $', underWay: 'i.user_id = $' },
  {
    name: 'channels',
    type: 'uuid[]',
    stored: 'channel_id = any($::uuid[])',
    underWay: 'r.channel_id = any($::uuid[])',
  },
  {
    name: 'status',
    type: 'message_status',
    stored: 'status = $::message_status',
    // A message that has its row already, while others of its request are under way, has another status by now. Looked up
    // one by one: `not exists` was planned to read all messages of the account.
    underWay: `i.status = $::message_status
      and (select m.id from message m where m.account_id = r.account_id and m.mode = r.mode and m.id = i.id limit 1) is null`,
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
const BY_INDEX = ['request_id', 'message_id', 'phone', 'user_id', 'client_reference'] as const;

/**
 * The filters that only few messages can pass. A list looks those messages up first, because otherwise its plan may follow the order of
 * the page and read all messages of the account.
 */
const FEW: Partial<Record<keyof MessageFilter, string>> = {
  request_id: messagesOf('(select message_ids from request where account_id = $1 and mode = $2 and id = $::uuid)'),
  message_id: '(select * from message where account_id = $1 and provider_message_id = $ offset 0) as message',
};

/**
 * The rows that the index `message_rare` holds under this word; it holds what most messages are not. Both conditions are written as in
 * migration 19, else the index is not used. A message that is `unknown` has the error `outcome_unknown`, and no other message has it.
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
 * The same for a list that no filter's index serves, so that the index `message_test` can: from a parameter alone the planner does not
 * see that it may use that index. The parameter is compared as a text, because otherwise the planner would compare it with the word.
 */
const OF_TEST_MODE = "mode = 'test' and mode::text = $2";

/** A statement has `before` only if it is given: the planner takes every bound for a narrow one, even if it excludes nothing. */
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
  { accountId, mode }: Owner,
  filter: MessageFilter,
  limit: number,
): Promise<ListedMessage[]> {
  const { status } = filter;
  const ofStatus = status && directionOf(status);
  const direction = filter.direction ?? ofStatus;
  // No message goes both ways. The statement would look through all messages there are, and find none.
  if (ofStatus !== undefined && ofStatus !== direction) return [];
  const leading = BY_INDEX.find((name) => filter[name] !== undefined);
  const rarity = RARITIES[status ?? (direction === 'inbound' ? 'received' : 'accepted')];
  const byRarity = leading === undefined && rarity !== undefined ? [{ condition: BY_RARITY, value: rarity }] : [];
  const list = (select: string, narrowings: readonly Narrowing[]) => {
    const conditions = narrowings.map(
      ({ condition }, place) => ` and ${withParameter(condition, place + PARAMETERS_BEFORE + 1)}`,
    );
    const sql = `${select}${conditions.join('')} order by id desc limit $3`;
    return store.query<ListedMessage>(sql, [accountId, mode, limit, ...narrowings.map(({ value }) => value)]);
  };
  const running = await list(
    `${underWay(IF_SMALL)} where r.account_id = $1 and r.mode = $2 and r.completed_at is null`,
    narrow(filter, 'underWay', leading),
  );
  const inOrder = leading === undefined && rarity === undefined;
  const ofMode = inOrder && mode === 'test' ? OF_TEST_MODE : OF_MODE;
  const stored = await list(`${storedBy(leading)} where account_id = $1 and ${ofMode}`, [
    ...narrow(filter, 'stored', leading),
    ...byRarity,
  ]);
  const newestFirst = mergeById(running, stored).sort((a, b) => (a.id > b.id ? -1 : 1));
  return newestFirst.slice(0, limit);
}

function storedBy(leading: keyof MessageFilter | undefined): string {
  const few = leading === undefined ? undefined : FEW[leading];
  if (few === undefined) return `${storedColumns(IF_SMALL)} message`;
  const place = FILTERS.findIndex(({ name }) => name === leading);
  return `${storedColumns(IF_SMALL)} ${withParameter(few, place + PARAMETERS_BEFORE + 1)}`;
}

/** The direction of all messages with this status. */
function directionOf(status: MessageStatus): Direction {
  return status === 'received' ? 'inbound' : 'outbound';
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

/** `$1` is the account and `$2` the mode everywhere. */
function withParameter(condition: string, place: number): string {
  return condition.replaceAll(/\$(?![12])/g, `$${place}`);
}
