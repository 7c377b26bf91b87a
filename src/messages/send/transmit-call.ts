import type { Logger } from 'pino';
import type { Channels, SendingChannel } from '../../channels/channels.ts';
import type { Pacing } from '../../channels/pacing.ts';
import type { Clock, SteadyClock } from '../../kernel/clock.ts';
import type { MessageContent, Provider } from '../../provider/port.ts';
import type { Ledger } from '../commit/ledger.ts';
import type { IntendedMessage } from '../message.ts';
import type { IsTransmitting } from './is-transmitting.ts';
import type { Recheck } from './recheck.ts';

export interface TransmitDeps {
  ledger: Ledger;
  isTransmitting: IsTransmitting;
  /** Waits until every notification is applied that was answered before, or for the signal; false: that took too long. */
  untilApplied(giveUp: AbortSignal): Promise<boolean>;
  channels: Channels;
  pacing: Pacing;
  provider: Provider;
  clock: Clock & SteadyClock;
  log: Logger;
}

/** A request whose messages are committed and may go. */
export interface TransmitCall {
  requestId: string;
  channel: SendingChannel;
  content: MessageContent;
  intended: readonly IntendedMessage[];
  /** When the request was looked at, on the steady clock. */
  arrivedMs: number;
  /** Of the steady clock. What has not begun by then is not begun. */
  deadlineMs: number;
  recheck: Recheck;
}

/** One of its messages, with all that a question about it needs. */
export interface MessageToTransmit {
  deps: TransmitDeps;
  call: TransmitCall;
  message: IntendedMessage;
  /** Aborts at the deadline. */
  deadline: AbortSignal;
}
