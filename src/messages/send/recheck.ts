import type { SendingChannel } from '../../channels/channels.ts';
import type { SteadyClock } from '../../kernel/clock.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { IntendedMessage } from '../message.ts';
import type { SendCommand } from '../parse/send-command.ts';
import { type Preflight, type PreflightDeps, preflight } from './preflight.ts';

/** The messages of a send that have waited for about the same time share a look. */
const SHARED_MS = 500;

/** What keeps a message back by now that might go when its send began; null: nothing. */
export type Recheck = (message: IntendedMessage) => Promise<MessageError | null>;

/**
 * Makes what looks at a send's template and people again, for messages that have waited: a template may have been paused
 * meanwhile, and a person may have stopped marketing messages. Other content has nothing of the kind.
 */
export function createRecheck(
  deps: PreflightDeps & { clock: SteadyClock },
  channel: SendingChannel,
  command: SendCommand,
): Recheck {
  let last: { atMs: number; looked: Promise<Preflight> } | undefined;
  return async ({ phone, user_id: userId }) => {
    if (command.content.type !== 'template') return null;
    const nowMs = deps.clock.steadyMs();
    if (last === undefined || nowMs - last.atMs > SHARED_MS)
      last = { atMs: nowMs, looked: preflight(deps, channel, command) };
    const errorOf = await last.looked;
    // A text that cannot be read became no message, and may look like a user id given as a number.
    const place = command.recipients.findIndex(({ kind, to }) => kind !== 'unreadable' && to === (phone ?? userId));
    const recipient = command.recipients[place];
    if (recipient === undefined) throw new Error('A message of a send is for none of its recipients');
    return errorOf(recipient, place);
  };
}
