import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, SteadyClock } from '../../kernel/clock.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { Provider } from '../../provider/port.ts';
import type { Outcome } from '../message.ts';
import { beforeDeadline } from './before-deadline.ts';
import type { MessageTransmission } from './message-transmission.ts';
import { type InTurnOutcome, STALE_MS, transmitInTurn } from './transmit-in-turn.ts';

/** A throttled message is certainly not taken; it is tried again after these pauses, if the deadline allows. */
const RETRY_PAUSES_MS = [1_000, 4_000];

interface Deps {
  provider: Provider;
  clock: Clock & SteadyClock;
}

/**
 * Transmits one message until its outcome is known. Only what the provider certainly did not take is transmitted again,
 * at most twice; an `unknown` never is. A store that hangs meanwhile holds it up until the deadline at most, and what the
 * provider has refused stays refused: it is not in flight.
 */
export async function transmit(deps: Deps, transmission: MessageTransmission): Promise<Outcome> {
  const { clock } = deps;
  const { deadline, deadlineMs } = transmission;
  let seen = await transmitInTurn(deps, transmission, transmission.sender, STALE_MS);
  for (const pauseMs of RETRY_PAUSES_MS) {
    if (!mayRepeat(seen) || clock.steadyMs() + pauseMs >= deadlineMs) break;
    await wait(pauseMs);
    if (!(await beforeDeadline(transmission.takeAnotherTurn(), deadline, false))) break;
    const foundMs = clock.steadyMs();
    // A refusal that a notification contradicts, or may contradict, must not lead to a second message.
    const settled = await beforeDeadline(transmission.whetherSettled(), deadline, 'cannot_tell' as const);
    if (settled === 'yes') return withoutId('unknown', { code: 'outcome_unknown' }, new Date(clock.nowMs()));
    if (settled === 'cannot_tell') break;
    const isStale = clock.steadyMs() - foundMs >= STALE_MS;
    if (isStale && (await transmission.lookAgain()).kind === 'refused') break;
    // A notification may come at any time, so a message that is repeated is looked at again after any wait.
    const again = await transmitInTurn(deps, transmission, transmission.sender, 0);
    // It was transmitted before, and the refusal is what is known of it.
    if (again.kind === 'kept_back' || isNotAttempted(again)) break;
    seen = again;
  }
  if (seen.kind === 'refused' && seen.accessRefused)
    await beforeDeadline(transmission.onAccessRefused(), deadline, undefined);
  return outcomeOf(seen, new Date(clock.nowMs()));
}

function mayRepeat(seen: InTurnOutcome): boolean {
  return seen.kind === 'throttled' && !isNotAttempted(seen);
}

function isNotAttempted(seen: InTurnOutcome): boolean {
  return seen.kind === 'throttled' && seen.error.code === 'not_attempted';
}

function outcomeOf(seen: InTurnOutcome, at: Date): Outcome {
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
    case 'kept_back':
      return withoutId('failed', seen.error, at);
    case 'unknown':
      return withoutId('unknown', seen.error, at);
  }
}

/** An outcome that came without an id of the provider's. */
export function withoutId(status: 'failed' | 'unknown', error: MessageError, at: Date): Outcome {
  return { status, providerMessageId: null, userId: null, held: false, error, at };
}
