import { newId } from '../../src/kernel/ids.ts';
import type { NewRequest } from '../../src/messages/commit/begin-store.ts';
import type { IntendedMessage } from '../../src/messages/message.ts';

/** A message that may go at once. */
export function intendedMessage(more: Partial<IntendedMessage> = {}): IntendedMessage {
  const nothing = { user_id: null, client_reference: null, own_reference: false, components: null, error: null };
  return { id: newId(), phone: '+447700900123', status: 'transmitting', ...nothing, ...more };
}

/** A request with these messages. Its account, its channel and its node are not in the database. */
export function newRequest(intended: IntendedMessage[], more: Partial<NewRequest> = {}): NewRequest {
  return {
    ...{ accountId: newId(), id: newId(), mode: 'test', channelId: newId(), keyId: newId(), nodeId: newId() },
    ...{ clientReference: null, refused: [], intended, traceparent: null, idempotency: null, bytes: 0 },
    content: { type: 'text', text: { body: 'Hello', preview_url: false } },
    ...more,
  };
}
