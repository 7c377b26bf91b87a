import type { ChannelNow } from '../../channels/channels.ts';
import { beforeDeadline } from './before-deadline.ts';
import { onceStoreTells } from './once-store-tells.ts';
import { tellFault } from './tell-fault.ts';
import type { MessageToTransmit } from './transmit-call.ts';
import { isUnderWay } from './whether-settled.ts';

export const NOT_ATTEMPTED: ChannelNow = { kind: 'refused', error: { code: 'not_attempted' } };

/**
 * Commits a message whose turn has come as `transmitting`, if it still is `pending`: a node that was paused for so long that others took
 * it for gone finds its message settled and transmits nothing. A message that is `transmitting` already, because its first turn passed
 * before it could go, is only looked at. Nothing is in flight yet, so a store that is slow, or away, is waited for until the deadline;
 * after that the message is refused as `not_attempted`. One that `isRepeated` is looked at once: its reports were asked for just before,
 * and while a store that is away is waited for another report may come.
 */
export async function claimTurn(one: MessageToTransmit, isRepeated = false): Promise<ChannelNow> {
  const { deps, deadline } = one;
  const claimed = isRepeated ? claim(one) : onceStoreTells(() => claim(one), deadline);
  try {
    return await beforeDeadline(claimed, deadline, NOT_ATTEMPTED);
  } catch (error) {
    if (!deadline.aborted) tellFault(deps.log, error);
    return NOT_ATTEMPTED;
  }
}

async function claim(one: MessageToTransmit): Promise<ChannelNow> {
  const now = await asItIsNow(one);
  if (now.kind === 'refused') return now;
  const { deps, call, message } = one;
  const isTaken = message.status === 'pending' && (await deps.ledger.takeTurn(call.channel.accountId, message.id));
  // Nobody else makes it `transmitting`. If it is that and its turn was not taken here, a commit in doubt has taken it before.
  return isTaken || (await isUnderWay(one)) ? now : NOT_ATTEMPTED;
}

/**
 * What a message may go out from now. A wait may take most of the deadline: by then the channel, its token or its account may be
 * others, the template may be paused, and the person may have stopped such messages.
 */
export async function asItIsNow({ deps, call, message }: MessageToTransmit): Promise<ChannelNow> {
  const now = await deps.channels.asItIsNow(call.channel);
  const error = now.kind === 'refused' ? now.error : await call.recheck(message);
  return error === null ? now : { kind: 'refused', error };
}
