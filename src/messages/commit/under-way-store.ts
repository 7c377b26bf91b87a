import type { StoredMessageError } from '../../kernel/message-errors.ts';
import type { Queryable } from '../../store/database.ts';
import type { MessageStatus } from '../message.ts';

/** A message of a request. */
export interface WantedMessage {
  accountId: string;
  requestId: string;
  messageId: string;
}

/**
 * Messages and requests are looked up by their primary keys, one by one. A message without a row is under way as long as its request runs;
 * the intent need not be unpacked to know that, because a message that waits for its turn has a row from the start. A message that a
 * report of the provider has named is not under way any more, even if the status in that report moves nothing.
 */
const MESSAGE_TRANSMITTING = `
  select w.id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as w(account_id, request_id, id)
  where coalesce(
    (select m.status = 'transmitting' and m.provider_message_id is null from message m where m.account_id = w.account_id and m.id = w.id),
    (select r.completed_at is null from request r where r.account_id = w.account_id and r.id = w.request_id))`;

/** Returns the ids of those that are being transmitted; of the others the outcome is known, or they are gone. */
export async function findTransmitting(store: Queryable, messages: readonly WantedMessage[]): Promise<Set<string>> {
  const rows = await store.query<{ id: string }>(MESSAGE_TRANSMITTING, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ requestId }) => requestId),
    messages.map(({ messageId }) => messageId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Which of these messages a notification has settled meanwhile, before the send could write their outcome. */
const MESSAGE_SETTLED = `
  select m.id, status, provider_message_id, error from unnest($2::uuid[]) as wanted(id)
  cross join lateral (select * from message where account_id = $1 and id = wanted.id offset 0) as m
  where status not in ('pending', 'transmitting', 'unknown')`;

export interface SettledElsewhere {
  id: string;
  status: MessageStatus;
  provider_message_id: string | null;
  error: StoredMessageError | null;
}

export function findSettled(store: Queryable, accountId: string, ids: readonly string[]): Promise<SettledElsewhere[]> {
  return store.query<SettledElsewhere>(MESSAGE_SETTLED, [accountId, ids]);
}
