import type { Logger } from 'pino';
import type { ChannelNow, SendingChannel } from '../../channels/channels.ts';
import type { HeldTurn } from './held-turn.ts';
import { tellFault } from './tell-fault.ts';

interface Wish {
  turn: HeldTurn;
  /** What the message may go out from once it has its turn. */
  asItIsNow(): Promise<ChannelNow>;
}

/**
 * Takes one more turn for a message that the provider has throttled, behind all turns that are given already, and waits
 * for it. Returns the channel as it is by then, with the token that it has; undefined: the turn would come too late, the store
 * cannot give one, or the message must not go any more. Then it stays refused.
 */
export async function takeAnotherTurn(
  log: Logger,
  { turn, asItIsNow }: Wish,
  deadline: AbortSignal,
): Promise<SendingChannel | undefined> {
  try {
    const error = (await turn.repeat()) ?? (await turn.come());
    if (error !== null) return undefined;
    const now = await asItIsNow();
    return now.kind === 'usable' && !deadline.aborted ? now.channel : undefined;
  } catch (error) {
    // The deadline came first, or the store cannot be asked: the refusal stands as it is.
    if (!deadline.aborted) tellFault(log, error);
    return undefined;
  }
}
