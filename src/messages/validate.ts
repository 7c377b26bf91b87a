import type { SendingChannel } from '../channels/channels.ts';
import { type MessageErrorView, presentMessageError } from '../kernel/message-errors.ts';
import { planMessages } from './plan.ts';
import type { SendCommand } from './send-command.ts';

interface ValidatedEntry {
  to: string;
  user_id?: string;
  client_reference?: string;
  status: 'valid' | 'invalid';
  error?: MessageErrorView;
}

export interface Validation {
  account_id: string;
  client_reference?: string;
  type: string;
  valid_count: number;
  invalid_count: number;
  results: ValidatedEntry[];
}

/** Tells what a send would find out by itself, recipient by recipient, without storing or transmitting anything. */
export function validateSend(
  accountId: string,
  command: SendCommand,
  channel: SendingChannel,
  docsUrl: string,
): Validation {
  const plan = planMessages(command, channel.suspended ? { code: 'sender_suspended' } : null);
  const refused = new Map(plan.refused.map((entry) => [entry.place, entry.error]));
  const channelError = channel.suspended ? ({ code: 'sender_suspended' } as const) : undefined;
  const results = command.recipients.map((recipient, place): ValidatedEntry => {
    const error = refused.get(place) ?? channelError;
    return {
      to: recipient.to,
      ...(recipient.kind === 'user_id' && { user_id: recipient.to }),
      ...(recipient.clientReference !== undefined && { client_reference: recipient.clientReference }),
      status: error === undefined ? 'valid' : 'invalid',
      ...(error !== undefined && { error: presentMessageError(error, docsUrl) }),
    };
  });
  const validCount = results.filter(({ status }) => status === 'valid').length;
  return {
    account_id: accountId,
    ...(command.clientReference !== undefined && { client_reference: command.clientReference }),
    type: command.content.type,
    valid_count: validCount,
    invalid_count: results.length - validCount,
    results,
  };
}
