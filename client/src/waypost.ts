import { type ChannelCalls, channelCalls } from './channels.ts';
import { type EndpointCalls, endpointCalls } from './endpoints.ts';
import { type EventCalls, eventCalls } from './events.ts';
import { createHttp } from './http.ts';
import { type MessageCalls, messageCalls } from './messages.ts';
import { type CallOptions, readOptions, type WaypostOptions } from './options.ts';
import { type RequestCalls, requestCalls } from './requests.ts';
import { createSend, type Send } from './send.ts';
import { type StatisticsCalls, statisticsCalls } from './statistics.ts';
import { type TemplateCalls, templateCalls } from './templates.ts';
import type { OwnAccount } from './types.ts';
import { createValidate, type Validate } from './validate.ts';

/** The API of one gateway, with one key. It keeps nothing but its options, so one for a whole process is enough. */
export class Waypost {
  /** Sends a text or a template to 1 to 50 recipients, and never twice. */
  readonly send: Send;
  /** Checks a send without storing or transmitting anything. */
  readonly validate: Validate;
  /** Reads messages back, sent and received. */
  readonly messages: MessageCalls;
  /** Reads what became of a send, by the `request_id` of its answer. */
  readonly requests: RequestCalls;
  /** Reads what has happened, in order and without gaps; `iterate` waits for more. */
  readonly events: EventCalls;
  /** Manages your URLs that events are posted to. `verifyWebhook` proves what comes there. */
  readonly endpoints: EndpointCalls;
  /** Reads the templates that can be sent. */
  readonly templates: TemplateCalls;
  /** Reads the phone numbers that can be sent from. */
  readonly channels: ChannelCalls;
  /** Counts messages by minute, hour or day. */
  readonly statistics: StatisticsCalls;
  /** `get` reads the account and the key that is used. */
  readonly account: { get(options?: CallOptions): Promise<OwnAccount> };

  constructor(options: WaypostOptions) {
    const http = createHttp(readOptions(options));
    this.send = createSend(http);
    this.validate = createValidate(http);
    this.messages = messageCalls(http);
    this.requests = requestCalls(http);
    this.events = eventCalls(http);
    this.endpoints = endpointCalls(http);
    this.templates = templateCalls(http);
    this.channels = channelCalls(http);
    this.statistics = statisticsCalls(http);
    this.account = {
      get: ({ signal } = {}) => http.read('/api/v1/account', 'id', { signal }),
    };
  }
}
