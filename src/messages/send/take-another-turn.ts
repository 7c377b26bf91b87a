import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ChannelNow, SendingChannel } from '../../channels/channels.ts';
import type { Pacing } from '../../channels/pacing.ts';
import type { SteadyClock } from '../../kernel/clock.ts';
import { type IntendedMessage, personOf } from '../message.ts';
import { tellFault } from './tell-fault.ts';

/** A turn this close to the deadline is of no use: the provider's answer would miss it. */
const ANSWER_MS = 500;

interface Deps {
  pacing: Pacing;
  clock: SteadyClock;
  log: Logger;
}

interface Wish {
  channel: SendingChannel;
  message: IntendedMessage;
  deadlineMs: number;
  /** What the message may go out from once it has its turn. */
  asItIsNow(): Promise<ChannelNow>;
}

/**
 * Takes one more turn for a message that the provider has throttled, behind all turns that are given already, and waits
 * for it. Returns the channel as it is by then, with the token that it has; undefined: the turn would come too late, the store
 * cannot give one, or the message must not go any more. Then it stays refused.
 */
export async function takeAnotherTurn(
  { pacing, clock, log }: Deps,
  { channel, message, deadlineMs, asItIsNow }: Wish,
  deadline: AbortSignal,
): Promise<SendingChannel | undefined> {
  try {
    const [turn] = await pacing.turnsFor(channel, [personOf(message)], deadlineMs);
    if (turn === undefined || turn.kind === 'never') return undefined;
    if (turn.kind === 'later') {
      if (turn.atMs > deadlineMs - ANSWER_MS) return undefined;
      await wait(Math.max(0, turn.atMs - clock.steadyMs()), undefined, { signal: deadline });
    }
    const now = await asItIsNow();
    return now.kind === 'usable' && !deadline.aborted ? now.channel : undefined;
  } catch (error) {
    // The deadline came first, or the store cannot be asked: the refusal stands as it is.
    if (!deadline.aborted) tellFault(log, error);
    return undefined;
  }
}
