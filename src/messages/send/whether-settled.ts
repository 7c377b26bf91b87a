import { beforeDeadline } from './before-deadline.ts';
import { tellFault } from './tell-fault.ts';
import type { MessageToTransmit, TransmitDeps } from './transmit-call.ts';

/**
 * Whether the message was settled by somebody else: by a notification, or by another node, if this one was paused for so long that it
 * was taken for gone. Of the notifications only those count that are applied: see `areReportsApplied`.
 */
export async function whetherSettled(one: MessageToTransmit): Promise<'yes' | 'no' | 'cannot_tell'> {
  try {
    return (await isUnderWay(one)) ? 'no' : 'yes';
  } catch (error) {
    tellFault(one.deps.log, error);
    return 'cannot_tell';
  }
}

/** The same question to a store that can be asked. */
export function isUnderWay({ deps, call, message }: MessageToTransmit): Promise<boolean> {
  const { channel, requestId } = call;
  return deps.isTransmitting({ accountId: channel.accountId, requestId, messageId: message.id });
}

/**
 * Waits until the reports are applied that have come. A notification counts from the moment in which it was answered, but in a burst it
 * is applied seconds later. That is when the provider throttles, and the report may be about the very message that it has refused.
 * false: they are not all applied by the time of `giveUp`.
 */
export async function areReportsApplied({ untilApplied, log }: TransmitDeps, giveUp: AbortSignal): Promise<boolean> {
  try {
    return await beforeDeadline(untilApplied(giveUp), giveUp, false);
  } catch (error) {
    tellFault(log, error);
    return false;
  }
}
