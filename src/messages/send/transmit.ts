import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, SteadyClock } from '../../kernel/clock.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { AfterWait, OutboundMessage, Provider, Sender, TransmitOutcome } from '../../provider/port.ts';
import type { Outcome } from '../message.ts';
import { beforeDeadline } from './before-deadline.ts';

/** A throttled message is certainly not taken; it is tried again after these pauses, if the deadline allows. */
const RETRY_PAUSES_MS = [1_000, 4_000];

/** What was found out about a message longer ago than this is looked at again before it goes. */
export const STALE_MS = 500;

export interface Transmission {
  sender: Sender;
  message: OutboundMessage;
  /** Aborts at the deadline: what has not begun by then is not begun. */
  deadline: AbortSignal;
  /** The same on the steady clock. */
  deadlineMs: number;
  /**
   * Waits for another turn of the channel's pace: each repetition is one more call of the provider. Returns the sender as it is
   * by then; undefined: no turn comes in time.
   */
  takeAnotherTurn(): Promise<Sender | undefined>;
  /** Whether a notification has settled the message meanwhile, in spite of what the provider answered. */
  settledMeanwhile(): Promise<'yes' | 'no' | 'cannot_tell'>;
  /** The sender as it is now, of a message that has waited; undefined: it must not go any more. It never rejects. */
  lookAgain(): Promise<Sender | undefined>;
  /** Told when the provider refuses the sender's access token, and waited for until the deadline: the next send must know. */
  onAccessRefused(): Promise<void>;
}

interface Deps {
  provider: Provider;
  clock: Clock & SteadyClock;
}

/**
 * Transmits one message until its outcome is known. Only what the provider certainly did not take is transmitted again,
 * at most twice; an `unknown` never is. A store that hangs meanwhile holds it up until the deadline at most, and what the
 * provider has refused stays refused: it is not in flight.
 */
export async function transmit({ provider, clock }: Deps, transmission: Transmission): Promise<Outcome> {
  const { message, deadline, deadlineMs } = transmission;
  const { lookAgain } = transmission;
  const afterWait: AfterWait = async (waitedMs) => (waitedMs < STALE_MS ? transmission.sender : lookAgain());
  let seen = await provider.transmit(transmission.sender, message, deadline, afterWait);
  for (const pauseMs of RETRY_PAUSES_MS) {
    if (!mayRepeat(seen) || clock.steadyMs() + pauseMs >= deadlineMs) break;
    await wait(pauseMs);
    const sender = await beforeDeadline(transmission.takeAnotherTurn(), deadline, undefined);
    if (sender === undefined) break;
    const foundMs = clock.steadyMs();
    // A refusal that a notification contradicts, or may contradict, must not lead to a second message.
    const settled = await beforeDeadline(transmission.settledMeanwhile(), deadline, 'cannot_tell' as const);
    if (settled === 'yes') return withoutId('unknown', { code: 'outcome_unknown' }, new Date(clock.nowMs()));
    if (settled === 'cannot_tell') break;
    const asItIsNow = clock.steadyMs() - foundMs < STALE_MS ? sender : await lookAgain();
    if (asItIsNow === undefined) break;
    // A notification may come at any time, so that a repetition is looked at after any wait.
    const again = await provider.transmit(asItIsNow, message, deadline, lookAgain);
    // It was transmitted before, and the refusal is what is known of it.
    if (isNotAttempted(again)) break;
    seen = again;
  }
  if (seen.kind === 'refused' && seen.accessRefused)
    await beforeDeadline(transmission.onAccessRefused(), deadline, undefined);
  return outcomeOf(seen, new Date(clock.nowMs()));
}

function mayRepeat(seen: TransmitOutcome): boolean {
  return seen.kind === 'throttled' && !isNotAttempted(seen);
}

function isNotAttempted(seen: TransmitOutcome): boolean {
  return seen.kind === 'throttled' && seen.error.code === 'not_attempted';
}

function outcomeOf(seen: TransmitOutcome, at: Date): Outcome {
  switch (seen.kind) {
    case 'accepted':
      return {
        status: 'accepted',
        providerMessageId: seen.providerMessageId,
        userId: seen.providerUserId ?? null,
        held: seen.held,
        error: null,
        at,
      };
    case 'refused':
    case 'throttled':
      return withoutId('failed', seen.error, at);
    case 'unknown':
      return withoutId('unknown', seen.error, at);
  }
}

/** An outcome that came without an id of the provider's. */
export function withoutId(status: 'failed' | 'unknown', error: MessageError, at: Date): Outcome {
  return { status, providerMessageId: null, userId: null, held: false, error, at };
}
