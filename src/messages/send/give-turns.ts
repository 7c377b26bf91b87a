import type { Logger } from 'pino';
import type { SendingChannel } from '../../channels/channels.ts';
import type { Pacing, Turn } from '../../channels/pacing.ts';
import type { SteadyClock } from '../../kernel/clock.ts';
import { type IntendedMessage, personOf } from '../message.ts';
import { tellFault } from './tell-fault.ts';

/** A turn this close to the deadline is of no use: taking it is committed before the message goes. */
const TAKING_TURN_MS = 250;
/** A turn may be used this long after its time. Without a limit, all that pass during a slow commit would go out at once. */
const LATE_MS = 100;

interface Deps {
  pacing: Pacing;
  clock: SteadyClock;
  log: Logger;
}

interface Wish {
  channel: SendingChannel;
  intended: readonly IntendedMessage[];
  /** Of the steady clock. */
  deadlineMs: number;
}

/** The turns of a request's messages, each at the place of its message, and when they were given. */
export interface GivenTurns {
  turns: Turn[];
  atMs: number;
}

/** Paces what may go: a message whose turn cannot come in time fails at once, and one that must wait is `pending`. */
export async function giveTurns(deps: Deps, { channel, intended, deadlineMs }: Wish): Promise<GivenTurns> {
  const going = intended.filter(({ error }) => error === null);
  const own = await turnsOf(deps, channel, going, deadlineMs);
  const turns = intended.map((message) => {
    const turn = own.get(message) ?? NOW;
    if (turn.kind === 'never') {
      message.status = 'failed';
      message.error = turn.error;
    } else if (turn.kind === 'later') message.status = 'pending';
    return turn;
  });
  return { turns, atMs: deps.clock.steadyMs() };
}

/** Whether turns may have passed while the first commit took its time. */
export function isStale({ clock }: Deps, { atMs }: GivenTurns): boolean {
  return clock.steadyMs() - atMs > LATE_MS;
}

/**
 * Gives new turns in place of those that have passed: the messages of a slow commit must not all go within one second. What
 * is committed by now stays as it is: a message may wait although it is `transmitting`, and need not wait although it is
 * `pending`.
 */
export async function renewTurns(deps: Deps, wish: Wish, { turns, atMs }: GivenTurns): Promise<Turn[]> {
  const { channel, intended, deadlineMs } = wish;
  const usedFromMs = deps.clock.steadyMs() - LATE_MS;
  // What was refused before it could go has no turn, and needs none.
  const passed = intended.filter(({ error }, place) => error === null && dueMs(turns[place], atMs) < usedFromMs);
  deps.pacing.giveBack(channel, passed.map(personOf));
  let renewed = new Map<IntendedMessage, Turn>();
  try {
    renewed = await turnsOf(deps, channel, passed, deadlineMs);
  } catch (error) {
    // Without a turn none of them may go.
    tellFault(deps.log, error);
  }
  const missed = new Set(passed);
  return intended.map((message, place) => {
    const turn = missed.has(message) ? renewed.get(message) : turns[place];
    return turn ?? NOT_ATTEMPTED;
  });
}

function dueMs(turn: Turn | undefined, givenMs: number): number {
  if (turn === undefined || turn.kind === 'never') return Number.POSITIVE_INFINITY;
  return turn.kind === 'now' ? givenMs : turn.atMs;
}

async function turnsOf(
  { pacing }: Deps,
  channel: SendingChannel,
  messages: readonly IntendedMessage[],
  deadlineMs: number,
): Promise<Map<IntendedMessage, Turn>> {
  const turns = await pacing.turnsFor(channel, messages.map(personOf), deadlineMs - TAKING_TURN_MS);
  return new Map(messages.map((message, place) => [message, turns[place] ?? NOT_ATTEMPTED]));
}

const NOW: Turn = { kind: 'now' };
const NOT_ATTEMPTED: Turn = { kind: 'never', error: { code: 'not_attempted' } };
