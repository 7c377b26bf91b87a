import type { Queryable } from '../../store/database.ts';

/** Conditional: a node that was paused finds its messages settled by others, and must not transmit them any more. */
const MESSAGE_TAKE_TURN = `
  update message m set status = 'transmitting', updated_at = now()
  from unnest($1::uuid[], $2::uuid[]) as t(account_id, id)
  where m.account_id = t.account_id and m.id = t.id and m.status = 'pending'
  returning m.id`;

/** Returns the ids of those that may be transmitted now. */
export async function takeTurns(
  store: Queryable,
  messages: readonly { accountId: string; messageId: string }[],
): Promise<Set<string>> {
  const rows = await store.query<{ id: string }>(MESSAGE_TAKE_TURN, [
    messages.map(({ accountId }) => accountId),
    messages.map(({ messageId }) => messageId),
  ]);
  return new Set(rows.map(({ id }) => id));
}
