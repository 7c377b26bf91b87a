import type { ChannelNow } from '../../channels/channels.ts';
import type { GivenTurn } from '../../channels/pacing.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import type { Outcome } from '../message.ts';
import { claimTurn } from './claim-turn.ts';
import { HeldTurn } from './held-turn.ts';
import { MessageTransmission } from './message-transmission.ts';
import { tellFault } from './tell-fault.ts';
import { transmit, withoutId } from './transmit.ts';
import type { MessageToTransmit } from './transmit-call.ts';
import { STALE_MS } from './transmit-in-turn.ts';

/**
 * Brings one message to its outcome: waits for its turn, transmits it, and gives back a turn that was not used. A message without a
 * turn has failed before, and does not go. It never rejects.
 */
export async function transmitOne(one: MessageToTransmit, turn: GivenTurn | undefined): Promise<Outcome> {
  if (turn === undefined) return failed(one, one.message.error ?? { code: 'not_attempted' });
  const { deps, call, message, deadline } = one;
  const { channel, deadlineMs } = call;
  const held = new HeldTurn(deps, { channel, message, deadlineMs, deadline }, turn);
  try {
    return await transmitWithTurn(one, held);
  } finally {
    held.giveBack();
  }
}

async function transmitWithTurn(one: MessageToTransmit, turn: HeldTurn): Promise<Outcome> {
  const { deps, call, message, deadline } = one;
  const isStale = deps.clock.steadyMs() - call.arrivedMs > STALE_MS;
  const now: ChannelNow =
    message.status === 'pending' || isStale ? await waitForTurn(one, turn) : { kind: 'usable', channel: call.channel };
  if (now.kind === 'refused') return failed(one, now.error);
  if (deadline.aborted) return failed(one, { code: 'not_attempted' });
  try {
    return await transmit(deps, new MessageTransmission(one, turn, now.channel));
  } catch (error) {
    // We are wrong about this message. The outcomes of the others are known and have to be settled.
    tellFault(deps.log, error);
    return withoutId('unknown', { code: 'outcome_unknown' }, new Date(deps.clock.nowMs()));
  }
}

/** Waits for the message's turn, or for another one if that has passed, and claims it. */
async function waitForTurn(one: MessageToTransmit, turn: HeldTurn): Promise<ChannelNow> {
  const error = await turn.come();
  return error === null ? claimTurn(one) : { kind: 'refused', error };
}

function failed({ deps }: MessageToTransmit, error: MessageError): Outcome {
  return withoutId('failed', error, new Date(deps.clock.nowMs()));
}
