import type { SendingChannel } from '../../channels/channels.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type MessageErrorView, presentMessageError } from '../../kernel/message-errors.ts';
import { describeWindow, isWindowOpen } from '../../people/window.ts';
import { findWindows } from '../../people/window-store.ts';
import type { SendCommand } from '../parse/send-command.ts';
import { planMessages } from './plan.ts';
import { type PreflightDeps, preflight } from './preflight.ts';

interface ValidatedEntry {
  to: string;
  user_id?: string;
  client_reference?: string;
  status: 'valid' | 'invalid';
  error?: MessageErrorView;
  warnings?: Warning[];
}

export interface Warning {
  code: 'window_not_known';
  detail: string;
}

export interface Validation {
  account_id: string;
  client_reference?: string;
  type: string;
  valid_count: number;
  invalid_count: number;
  results: ValidatedEntry[];
}

interface Deps extends PreflightDeps {
  clock: Clock;
  docsUrl(): string;
}

/** Tells what a send would find out by itself, recipient by recipient, without storing or transmitting anything. */
export async function validateSend(deps: Deps, command: SendCommand, channel: SendingChannel): Promise<Validation> {
  const plan = planMessages(command, await preflight(deps, channel, command));
  const refused = new Map(plan.refused.map((entry) => [entry.place, entry.error]));
  // What is not refused is a message, in the order of the recipients.
  const intended = plan.intended.values();
  const windows = await findWindowsFor(deps, command, channel);
  const results = command.recipients.map((recipient, place): ValidatedEntry => {
    const error = refused.get(place) ?? intended.next().value?.error ?? null;
    const warnings =
      error === null && windows !== undefined ? windowWarnings(windows.get(recipient.to), deps.clock) : [];
    return {
      to: recipient.to,
      ...(recipient.kind === 'user_id' && { user_id: recipient.to }),
      ...(recipient.clientReference !== undefined && { client_reference: recipient.clientReference }),
      status: error === null ? 'valid' : 'invalid',
      ...(error !== null && { error: presentMessageError(error, deps.docsUrl()) }),
      ...(warnings.length > 0 && { warnings }),
    };
  });
  const validCount = results.filter(({ status }) => status === 'valid').length;
  return {
    account_id: channel.accountId,
    ...(command.clientReference !== undefined && { client_reference: command.clientReference }),
    type: command.content.type,
    valid_count: validCount,
    invalid_count: results.length - validCount,
    results,
  };
}

/** Only a template needs no window: then it is undefined. */
async function findWindowsFor({ database }: Deps, { content, recipients }: SendCommand, channel: SendingChannel) {
  if (content.type === 'template') return undefined;
  return findWindows(
    database,
    { accountId: channel.accountId, mode: channel.sender.mode, channelId: channel.id },
    recipients.map(({ to }) => to),
  );
}

/** A warning never makes a recipient invalid: the person may have written before this service listened. */
function windowWarnings(lastAt: Date | undefined, clock: Clock): Warning[] {
  if (isWindowOpen(lastAt, clock.nowMs())) return [];
  const detail = `${describeWindow(lastAt)}. A text reaches only people who wrote or called within 24 hours.`;
  return [{ code: 'window_not_known', detail }];
}
