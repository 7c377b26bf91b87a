export type { ChannelCalls } from './channels.ts';
export type { AttemptQuery, EndpointCalls } from './endpoints.ts';
export {
  type ApiErrorCode,
  type ClientErrorCode,
  type ErrorCode,
  type EventGap,
  EventsExpiredError,
  WaypostError,
} from './errors.ts';
export type { EventCalls, EventQuery } from './events.ts';
export type { EventIteration } from './iterate-events.ts';
export type { MessageCalls, MessageQuery } from './messages.ts';
export type { CallOptions, WaypostOptions } from './options.ts';
export type { Page, PageQuery } from './pages.ts';
export type { RequestCalls } from './requests.ts';
export type {
  AcceptedEntry,
  FailedEntry,
  RequestAnswer,
  RequestEntry,
  ResultEntry,
  RunningEntry,
  SendAnswer,
  UnknownEntry,
  ValidationAnswer,
  ValidationEntry,
} from './results.ts';
export type { Send, SendOptions, Sent } from './send.ts';
export type { StatisticsCalls, StatisticsQuery } from './statistics.ts';
export type { TemplateCalls, TemplateQuery } from './templates.ts';
export type * from './types.ts';
export type { Validate } from './validate.ts';
export { type ReceivedWebhook, verifyWebhook } from './verify-webhook.ts';
export { Waypost } from './waypost.ts';
export type { EventOf, EventType, WaypostEvent, WebhookEvent } from './waypost-event.ts';
export type { WebhookHeaders } from './webhook-headers.ts';
export { type WebhookProblem, WebhookVerificationError } from './webhook-verification-error.ts';
