import type { ChannelNow, SendingChannel } from '../../channels/channels.ts';
import { formatId } from '../../kernel/ids.ts';
import type { MessageContent, OutboundMessage, Sender } from '../../provider/port.ts';
import type { IntendedMessage } from '../message.ts';
import { asItIsNow, claimTurn, NOT_ATTEMPTED } from './claim-turn.ts';
import type { HeldTurn } from './held-turn.ts';
import { tellFault } from './tell-fault.ts';
import type { MessageToTransmit } from './transmit-call.ts';
import type { MessageInTurn } from './transmit-in-turn.ts';
import { areReportsApplied, whetherSettled } from './whether-settled.ts';

/** For so long a message keeps its connection, although others need it: if it gave it back, it would need another turn. */
const APPLIED_SOON_MS = 500;

/** What `transmit` asks and tells about one message: of the store, of its channel and of its turn. */
export class MessageTransmission implements MessageInTurn {
  readonly message: OutboundMessage;
  readonly turn: HeldTurn;
  readonly deadline: AbortSignal;
  /** The deadline on the steady clock. */
  readonly deadlineMs: number;
  readonly #one: MessageToTransmit;
  #channel: SendingChannel;
  #isRepeated = false;

  constructor(one: MessageToTransmit, turn: HeldTurn, channel: SendingChannel) {
    this.message = outboundMessage(one);
    this.turn = turn;
    this.deadline = one.deadline;
    this.deadlineMs = one.call.deadlineMs;
    this.#one = one;
    this.#channel = channel;
  }

  /** As it was at the last look, with the token that it had then. */
  get sender(): Sender {
    return this.#channel.sender;
  }

  /**
   * Takes one more turn for a message that the provider has throttled, behind all turns that are given already, waits for it, and looks
   * what the message goes out from by then. False: the turn would come too late, the store cannot give one, or the message must not
   * go any more. Then it stays refused.
   */
  async takeAnotherTurn(): Promise<boolean> {
    this.#isRepeated = true;
    const { deps } = this.#one;
    // Before the turn, because the turn must not pass during this wait. After the turn the reports are asked for once more.
    await areReportsApplied(deps, this.deadline);
    try {
      const error = (await this.turn.repeat()) ?? (await this.turn.come());
      if (error !== null) return false;
      const now = await asItIsNow(this.#one);
      if (now.kind === 'refused' || this.deadline.aborted) return false;
      this.#channel = now.channel;
      return true;
    } catch (error) {
      // The deadline came first, or the store cannot be asked: the refusal stands as it is.
      if (!this.deadline.aborted) tellFault(deps.log, error);
      return false;
    }
  }

  /** Whether a notification has settled the message meanwhile, in spite of what the provider answered. */
  async whetherSettled(): Promise<'yes' | 'no' | 'cannot_tell'> {
    return (await areReportsApplied(this.#one.deps, this.deadline)) ? whetherSettled(this.#one) : 'cannot_tell';
  }

  async lookAgain(): Promise<ChannelNow> {
    return (await this.#mayLook(this.deadline)) ? this.#look() : NOT_ATTEMPTED;
  }

  async lookSoon(): Promise<ChannelNow | 'later'> {
    const soon = AbortSignal.any([this.deadline, AbortSignal.timeout(APPLIED_SOON_MS)]);
    return (await this.#mayLook(soon)) ? this.#look() : 'later';
  }

  /** To be called when the provider refuses the sender's access token, and waited for until the deadline: the next send must know. */
  async onAccessRefused(): Promise<void> {
    const { channels, log } = this.#one.deps;
    try {
      await channels.suspend(this.#channel);
    } catch (error) {
      // The next message of the channel is refused as well and suspends it then.
      tellFault(log, error);
    }
  }

  /** Nothing can have been reported of a message that is transmitted for the first time. */
  async #mayLook(giveUp: AbortSignal): Promise<boolean> {
    return !this.#isRepeated || areReportsApplied(this.#one.deps, giveUp);
  }

  async #look(): Promise<ChannelNow> {
    // By now it is `transmitting`, whatever it was when its send began.
    const message: IntendedMessage = { ...this.#one.message, status: 'transmitting' };
    const now = await claimTurn({ ...this.#one, message }, this.#isRepeated);
    if (now.kind === 'usable') this.#channel = now.channel;
    return now;
  }
}

function outboundMessage({ message, call }: MessageToTransmit): OutboundMessage {
  return {
    id: formatId('msg', message.id),
    recipient: message.phone === null ? { userId: message.user_id ?? '' } : { phone: message.phone },
    content: contentFor(call.content, message),
  };
}

function contentFor(content: MessageContent, { components }: IntendedMessage): MessageContent {
  if (content.type !== 'template' || components === null) return content;
  return { type: 'template', template: { ...content.template, components } };
}
