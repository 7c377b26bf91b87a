import type { Mode } from '../../kernel/principal.ts';
import type { MessageContent } from '../../provider/port.ts';
import type { StatementPart } from '../../store/statement-part.ts';
import type { IntendedMessage, RefusedEntry } from '../message.ts';
import { INTENT_COLUMNS } from '../read/row-store.ts';

/** A request about to be committed, before anything of it is transmitted. */
export interface NewRequest {
  accountId: string;
  id: string;
  mode: Mode;
  channelId: string;
  keyId: string;
  nodeId: string;
  clientReference: string | null;
  content: MessageContent;
  refused: RefusedEntry[];
  intended: IntendedMessage[];
  traceparent: string | null;
  idempotency: { key: string; bodySha256: Buffer } | null;
  /** How large the body was that it came in. */
  bytes: number;
}

/**
 * What begins requests, as a part of a statement. Its result is the requests that do not stand, because another one has claimed their
 * idempotency key: nothing of these is written.
 */
export function beginPart(requests: readonly NewRequest[]): StatementPart {
  const claims = requests.some(({ idempotency }) => idempotency !== null);
  const waits = requests.some(hasWaiting);
  return {
    // What none of these requests needs is left out: a write in a statement costs 50 µs even if it writes nothing.
    ctes: [
      INCOMING,
      ...(claims ? [CLAIMED] : []),
      `begun as (${REQUESTS} ${claims ? WITH_THEIR_KEY : ''} returning id)`,
      ...(waits ? [WAITING] : []),
    ],
    result: claims ? REFUSED : undefined,
    values: beginValues(requests),
  };
}

function hasWaiting({ intended }: NewRequest): boolean {
  return intended.some(({ status }) => status === 'pending');
}

const INCOMING = `
  incoming as (
    select * from unnest($1::uuid[], $2::uuid[], $3::mode[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
      $9::jsonb[], $10::jsonb[], $11::integer[], $12::integer[], $13::jsonb[], $14::text[], $15::text[], $16::bytea[], $17::boolean[])
    as t(account_id, id, mode, channel_id, key_id, node_id, type, client_reference,
      content, refused, first_message, last_message, intent, traceparent, idempotency_key, body_sha256, waits)
  )`;

/** The ids of all messages come in one array, of which each request takes its part: arrays in an array must be of one length. */
const MESSAGE_IDS = '($18::uuid[])[first_message:last_message]';

/** Keys are claimed in the same order everywhere, so that two nodes that claim the same ones cannot deadlock. */
const CLAIMED = `
  claimed as (
    insert into idempotency (account_id, mode, key, request_id, body_sha256, expires_at)
    select account_id, mode, idempotency_key, id, body_sha256, now() + interval '24 hours'
    from incoming where idempotency_key is not null
    order by account_id, mode, idempotency_key
    on conflict do nothing
    returning request_id
  )`;

const REQUESTS = `
    insert into request (account_id, id, mode, channel_id, key_id, node_id, type, client_reference,
      content, refused, message_ids, intent, traceparent, idempotency_key)
    select account_id, id, mode, channel_id, key_id, node_id, type, client_reference,
      content, refused, ${MESSAGE_IDS}, intent, traceparent, idempotency_key
    from incoming`;
const WITH_THEIR_KEY = 'where idempotency_key is null or id in (select request_id from claimed)';

/** Messages that wait for their turn get their rows now, because a row is what a turn is taken on. */
const WAITING = `
  waiting as (
    insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status,
      client_reference, own_reference, content, updated_at)
    select n.account_id, i.id, n.id, n.channel_id, n.mode, 'outbound', n.type, i.phone, i.user_id, 'pending',
      i.client_reference, i.own_reference, i.components, now()
    from incoming n
    cross join lateral jsonb_to_recordset(n.intent) as i(${INTENT_COLUMNS})
    where n.waits and i.status = 'pending' and n.id in (select id from begun)
  )`;

const REFUSED = `
  select id from incoming
  where idempotency_key is not null and id not in (select request_id from claimed)`;

function beginValues(requests: readonly NewRequest[]): unknown[] {
  const column = <Value>(read: (request: NewRequest) => Value) => requests.map(read);
  const places = placesOf(requests);
  return [
    column((request) => request.accountId),
    column((request) => request.id),
    column((request) => request.mode),
    column((request) => request.channelId),
    column((request) => request.keyId),
    column((request) => request.nodeId),
    column((request) => request.content.type),
    column((request) => request.clientReference),
    column((request) => JSON.stringify(contentOf(request.content))),
    column((request) => (request.refused.length === 0 ? null : JSON.stringify(request.refused))),
    places.map(({ first }) => first),
    places.map(({ last }) => last),
    column((request) => JSON.stringify(request.intended.map(withoutNulls))),
    column((request) => request.traceparent),
    column((request) => request.idempotency?.key ?? null),
    column((request) => request.idempotency?.bodySha256 ?? null),
    column(hasWaiting),
    requests.flatMap(({ intended }) => intended.map(({ id }) => id)),
  ];
}

/** Where the messages of each request are among those of all, counted from 1 as PostgreSQL does. */
function placesOf(requests: readonly NewRequest[]): { first: number; last: number }[] {
  let last = 0;
  return requests.map(({ intended }) => {
    const first = last + 1;
    last += intended.length;
    return { first, last };
  });
}

/** Leaves out what is null, which the store reads as null all the same. It halves a plain message, and the store's work with it. */
function withoutNulls({ user_id, client_reference, components, error, ...message }: IntendedMessage): object {
  return {
    ...message,
    user_id: user_id ?? undefined,
    client_reference: client_reference ?? undefined,
    components: components ?? undefined,
    error: error ?? undefined,
  };
}

function contentOf(content: MessageContent): unknown {
  return content.type === 'text' ? content.text : content.template;
}
