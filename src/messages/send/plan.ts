import { newId } from '../../kernel/ids.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { IntendedMessage, RefusedEntry } from '../message.ts';
import type { Recipient, SendCommand } from '../parse/send-command.ts';
import type { Preflight } from './preflight.ts';

/** What becomes of each recipient before anything is transmitted. */
export interface Plan {
  /** In the request's order. */
  intended: IntendedMessage[];
  refused: RefusedEntry[];
}

/**
 * Makes a message of every recipient that can be read, once a person, and an entry of every other one. What the
 * pre-flight found is a message too, and failed from the start.
 */
export function planMessages(command: SendCommand, errorOf: Preflight): Plan {
  const plan: Plan = { intended: [], refused: [] };
  const seen = new Set<string>();
  command.recipients.forEach((recipient, place) => {
    if (recipient.kind === 'unreadable') {
      plan.refused.push(refuse(recipient, place, { code: 'invalid_recipient', detail: recipient.detail }));
    } else if (seen.has(recipient.to)) {
      plan.refused.push(refuse(recipient, place, { code: 'duplicate_recipient' }));
    } else {
      seen.add(recipient.to);
      plan.intended.push(intend(recipient, command.clientReference ?? null, errorOf(recipient, place)));
    }
  });
  return plan;
}

function refuse(recipient: Recipient, place: number, error: MessageError): RefusedEntry {
  return {
    place,
    to: recipient.to,
    ...(recipient.kind === 'user_id' && { user_id: recipient.to }),
    ...(recipient.clientReference !== undefined && { client_reference: recipient.clientReference }),
    error,
  };
}

function intend(
  recipient: Exclude<Recipient, { kind: 'unreadable' }>,
  requestReference: string | null,
  error: MessageError | null,
): IntendedMessage {
  return {
    id: newId(),
    phone: recipient.kind === 'phone' ? recipient.to : null,
    user_id: recipient.kind === 'user_id' ? recipient.to : null,
    client_reference: recipient.clientReference ?? requestReference,
    own_reference: recipient.clientReference !== undefined,
    components: recipient.components ?? null,
    status: error === null ? 'transmitting' : 'failed',
    error,
  };
}
