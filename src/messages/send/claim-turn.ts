import type { ChannelNow } from '../../channels/channels.ts';
import { beforeDeadline } from './before-deadline.ts';
import { tellFault } from './tell-fault.ts';
import type { MessageToTransmit } from './transmit-call.ts';
import { whetherSettled } from './whether-settled.ts';

const NOT_ATTEMPTED: ChannelNow = { kind: 'refused', error: { code: 'not_attempted' } };

/**
 * Commits a message whose turn has come as `transmitting`, if it still is `pending`: a node that was paused for so long that others took
 * it for gone finds its message settled and transmits nothing. A message that is `transmitting` already, because its first turn passed
 * before it could go, is only looked at. Nothing is in flight yet, so a store that is slow, or cannot be asked, leaves the message
 * where it is: it is refused as `not_attempted`.
 */
export async function claimTurn(one: MessageToTransmit): Promise<ChannelNow> {
  const { deps, deadline } = one;
  try {
    return await beforeDeadline(claim(one), deadline, NOT_ATTEMPTED);
  } catch (error) {
    if (!deadline.aborted) tellFault(deps.log, error);
    return NOT_ATTEMPTED;
  }
}

async function claim(one: MessageToTransmit): Promise<ChannelNow> {
  const now = await asItIsNow(one);
  if (now.kind === 'refused') return now;
  const { deps, call, message } = one;
  const isClaimed =
    message.status === 'pending'
      ? await deps.ledger.takeTurn(call.channel.accountId, message.id)
      : (await whetherSettled(one)) === 'no';
  return isClaimed ? now : NOT_ATTEMPTED;
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
