import type { Logger } from 'pino';
import type { ChannelNow, Channels, SendingChannel } from '../../channels/channels.ts';
import type { Pacing, Turn } from '../../channels/pacing.ts';
import type { Clock, SteadyClock } from '../../kernel/clock.ts';
import { formatId } from '../../kernel/ids.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { MessageContent, Provider } from '../../provider/port.ts';
import type { Ledger } from '../commit/ledger.ts';
import type { IntendedMessage, Outcome } from '../message.ts';
import { beforeDeadline } from './before-deadline.ts';
import { HeldTurn } from './held-turn.ts';
import type { IsTransmitting } from './is-transmitting.ts';
import type { Recheck } from './recheck.ts';
import { takeAnotherTurn } from './take-another-turn.ts';
import { tellFault } from './tell-fault.ts';
import { transmit, withoutId } from './transmit.ts';
import { STALE_MS } from './transmit-in-turn.ts';

export interface TransmitDeps {
  ledger: Ledger;
  isTransmitting: IsTransmitting;
  /** Waits until every notification is applied that was answered before, or for the signal; false: that took too long. */
  untilApplied(giveUp: AbortSignal): Promise<boolean>;
  channels: Channels;
  pacing: Pacing;
  provider: Provider;
  clock: Clock & SteadyClock;
  log: Logger;
}

/** A request whose messages are committed and may go. */
export interface TransmitCall {
  requestId: string;
  channel: SendingChannel;
  content: MessageContent;
  intended: readonly IntendedMessage[];
  /** When the request was looked at, on the steady clock. */
  arrivedMs: number;
  /** Of the steady clock. What has not begun by then is not begun. */
  deadlineMs: number;
  recheck: Recheck;
}

/** A message that was in flight at the deadline. */
export interface LateMessage {
  message: IntendedMessage;
  outcome: Promise<Outcome>;
}

/**
 * Transmits all messages at once, each in its turn. Every message that has not failed before has one. A message that is in flight at the
 * deadline is `unknown` in the answer, and settled later. `onOutcome` is told of each message whose outcome is known before.
 */
export async function transmitAll(
  deps: TransmitDeps,
  call: TransmitCall,
  turns: readonly (Turn | undefined)[],
  onOutcome?: (message: IntendedMessage, outcome: Outcome) => void,
): Promise<{ outcomes: Outcome[]; late: LateMessage[] }> {
  const { deadlineMs } = call;
  const deadline = new AbortController();
  const leftInFlight = Promise.withResolvers<'in_flight'>();
  const end = () => {
    deadline.abort();
    // Two rounds of the event loop later, so that what had not begun is told apart from what is in flight.
    setImmediate(() => setImmediate(() => leftInFlight.resolve('in_flight')));
  };
  const leftMs = deadlineMs - deps.clock.steadyMs();
  // The first commit may have taken all the time there was: then nothing is begun.
  if (leftMs <= 0) end();
  const timer = setTimeout(end, Math.max(0, leftMs));
  const late: LateMessage[] = [];
  try {
    const outcomes = await Promise.all(
      call.intended.map(async (message, place) => {
        const outcome = outcomeOf(deps, call, message, turns[place], deadline.signal);
        const first = await Promise.race([outcome, leftInFlight.promise]);
        if (first !== 'in_flight') {
          onOutcome?.(message, first);
          return first;
        }
        late.push({ message, outcome });
        return withoutId('unknown', { code: 'outcome_unknown', detail: IN_FLIGHT }, new Date(deps.clock.nowMs()));
      }),
    );
    return { outcomes, late };
  } finally {
    clearTimeout(timer);
  }
}

const IN_FLIGHT = 'The provider had not answered at the deadline';

async function outcomeOf(
  deps: TransmitDeps,
  call: TransmitCall,
  message: IntendedMessage,
  turn: Turn | undefined,
  deadline: AbortSignal,
): Promise<Outcome> {
  const { channel, deadlineMs } = call;
  const error = message.error ?? (turn?.kind === 'never' ? turn.error : null);
  if (error !== null || turn === undefined || turn.kind === 'never')
    return withoutId('failed', error ?? { code: 'not_attempted' }, new Date(deps.clock.nowMs()));
  const held = new HeldTurn(deps, { channel, message, deadlineMs, deadline }, turn);
  try {
    return await outcomeInTurn(deps, call, message, held, deadline);
  } finally {
    held.giveBack();
  }
}

async function outcomeInTurn(
  deps: TransmitDeps,
  call: TransmitCall,
  message: IntendedMessage,
  turn: HeldTurn,
  deadline: AbortSignal,
): Promise<Outcome> {
  const { channel: asked, content, arrivedMs, deadlineMs } = call;
  const failed = (error: MessageError) => withoutId('failed', error, new Date(deps.clock.nowMs()));
  const isStale = deps.clock.steadyMs() - arrivedMs > STALE_MS;
  const now: ChannelNow =
    message.status === 'pending' || isStale
      ? await takeTurn(deps, call, message, turn, deadline)
      : { kind: 'usable', channel: asked };
  if (now.kind === 'refused') return failed(now.error);
  let { channel } = now;
  let keptBack: MessageError | undefined;
  let isRepeated = false;
  if (deadline.aborted) return failed({ code: 'not_attempted' });
  const look = async () => {
    // By now it is `transmitting`, whatever it was when its send began.
    const later = await claimBeforeDeadline(deps, call, { ...message, status: 'transmitting' }, deadline);
    if (later.kind === 'refused') {
      keptBack = later.error;
      return undefined;
    }
    channel = later.channel;
    return channel.sender;
  };
  // Nothing can have been reported of one that is transmitted for the first time.
  const mayLook = async (giveUp: AbortSignal) => !isRepeated || (await areReportsApplied(deps, giveUp));
  try {
    const outcome = await transmit(deps, {
      sender: channel.sender,
      message: {
        id: formatId('msg', message.id),
        recipient: message.phone === null ? { userId: message.user_id ?? '' } : { phone: message.phone },
        content: contentFor(content, message),
      },
      turn,
      deadline,
      deadlineMs,
      async takeAnotherTurn() {
        isRepeated = true;
        // Before the turn, because the turn must not pass during this wait. After the turn the reports are asked for once more.
        await areReportsApplied(deps, deadline);
        const wish = { turn, asItIsNow: () => asItIsNow(deps, call, message) };
        const later = await takeAnotherTurn(deps.log, wish, deadline);
        channel = later ?? channel;
        return later?.sender;
      },
      settledMeanwhile: () => isSettledByNow(deps, call, message.id, deadline),
      lookAgain: async () => ((await mayLook(deadline)) ? look() : undefined),
      lookSoon: async () => ((await mayLook(soon(deadline))) ? look() : 'later'),
      onAccessRefused: () => suspend(deps, channel),
    });
    return outcome.error?.code === 'not_attempted' ? failed(keptBack ?? outcome.error) : outcome;
  } catch (error) {
    // We are wrong about this message. The outcomes of the others are known and have to be settled.
    tellFault(deps.log, error);
    return withoutId('unknown', { code: 'outcome_unknown' }, new Date(deps.clock.nowMs()));
  }
}

/**
 * Waits for a message's turn, or for another one if that has passed, and then commits it as `transmitting`, if it still is
 * `pending`: a node that was paused for so long that others took it for gone finds its message settled and transmits
 * nothing. One whose first turn passed before it could go is `transmitting` already, and looked at.
 */
async function takeTurn(
  deps: TransmitDeps,
  call: TransmitCall,
  message: IntendedMessage,
  turn: HeldTurn,
  deadline: AbortSignal,
): Promise<ChannelNow> {
  const error = await turn.come();
  return error === null ? claimBeforeDeadline(deps, call, message, deadline) : { kind: 'refused', error };
}

const NOT_ATTEMPTED: ChannelNow = { kind: 'refused', error: { code: 'not_attempted' } };

/** Nothing is in flight yet, so a store that is slow, or cannot be asked, leaves the message where it is. */
async function claimBeforeDeadline(
  deps: TransmitDeps,
  call: TransmitCall,
  message: IntendedMessage,
  deadline: AbortSignal,
): Promise<ChannelNow> {
  try {
    return await beforeDeadline(claimTurn(deps, call, message), deadline, NOT_ATTEMPTED);
  } catch (error) {
    if (!deadline.aborted) tellFault(deps.log, error);
    return NOT_ATTEMPTED;
  }
}

async function claimTurn(deps: TransmitDeps, call: TransmitCall, message: IntendedMessage): Promise<ChannelNow> {
  const now = await asItIsNow(deps, call, message);
  if (now.kind === 'refused') return now;
  const { id, status } = message;
  const taken =
    status === 'pending'
      ? await deps.ledger.takeTurn(call.channel.accountId, id)
      : (await isSettled(deps, call, id)) === 'no';
  return taken ? now : NOT_ATTEMPTED;
}

/**
 * A wait may take most of the deadline: by then the channel, its token or its account may be others, the template may be
 * paused, and the person may have stopped such messages.
 */
async function asItIsNow(
  deps: TransmitDeps,
  { channel, recheck }: TransmitCall,
  message: IntendedMessage,
): Promise<ChannelNow> {
  const now = await deps.channels.asItIsNow(channel);
  const error = now.kind === 'refused' ? now.error : await recheck(message);
  return error === null ? now : { kind: 'refused', error };
}

function contentFor(content: MessageContent, { components }: IntendedMessage): MessageContent {
  if (content.type === 'text' || components === null) return content;
  return { type: 'template', template: { ...content.template, components } };
}

async function isSettledByNow(deps: TransmitDeps, call: TransmitCall, messageId: string, deadline: AbortSignal) {
  return (await areReportsApplied(deps, deadline)) ? isSettled(deps, call, messageId) : 'cannot_tell';
}

/**
 * Waits until the reports are applied that have come. A notification counts from the moment in which it was answered, but in a burst it
 * is applied seconds later. That is when the provider throttles, and the report may be about the very message that it has refused.
 */
async function areReportsApplied({ untilApplied, log }: TransmitDeps, giveUp: AbortSignal): Promise<boolean> {
  try {
    return await beforeDeadline(untilApplied(giveUp), giveUp, false);
  } catch (error) {
    tellFault(log, error);
    return false;
  }
}

/** For so long a message keeps its connection, although others need it: if it gave it back, it would need another turn. */
const APPLIED_SOON_MS = 500;

function soon(deadline: AbortSignal): AbortSignal {
  return AbortSignal.any([deadline, AbortSignal.timeout(APPLIED_SOON_MS)]);
}

/** Whether the message was settled: by a notification, or by another node, if this one was paused for so long that it was taken for gone. */
async function isSettled(
  { isTransmitting, log }: TransmitDeps,
  { channel, requestId }: TransmitCall,
  messageId: string,
): Promise<'yes' | 'no' | 'cannot_tell'> {
  try {
    return (await isTransmitting({ accountId: channel.accountId, requestId, messageId })) ? 'no' : 'yes';
  } catch (error) {
    tellFault(log, error);
    return 'cannot_tell';
  }
}

async function suspend(deps: TransmitDeps, channel: SendingChannel): Promise<void> {
  try {
    await deps.channels.suspend(channel);
  } catch (error) {
    // The next message of the channel is refused as well and suspends it then.
    tellFault(deps.log, error);
  }
}
