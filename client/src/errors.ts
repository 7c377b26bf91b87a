import type { Fault, Problem } from './types.ts';

/** The codes of the API. */
export type ApiErrorCode = Problem['code'];

/** Failures that only the client can see. */
export type ClientErrorCode =
  /** The connection failed, broke or took too long. It is not known what the gateway did with the call. */
  | 'no_answer'
  /** The answer does not come from the API: it is a proxy's page, say, or a redirect. */
  | 'unexpected_answer'
  /** Some of the events that were asked for have expired: those before the oldest one that is kept. */
  | 'events_expired'
  /** The log ends before the number asked for, so the number belongs to another account, mode or gateway. */
  | 'sequence_unknown';

/** Later gateways may have further codes, so a `switch` over them needs a `default`. */
export type ErrorCode = ApiErrorCode | ClientErrorCode | (string & {});

/** What a `WaypostError` may have besides its code and message. */
export interface WaypostErrorMembers {
  status?: number | undefined;
  requestId?: string | undefined;
  errors?: Fault[] | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * A call failed, or got no answer. Decide by `code`; the message may change. What happened to single recipients is never thrown: the answer
 * of the send says it.
 */
export class WaypostError extends Error {
  /** The word to decide by. */
  readonly code: ErrorCode;
  /** The HTTP status; undefined if nothing answered. */
  readonly status: number | undefined;
  /** The id of this HTTP call, for the platform's support. */
  readonly requestId: string | undefined;
  /** Every fault of the request, if the code is `invalid_request`. */
  readonly errors: Fault[];
  /** How long the gateway asks to wait before the next try. The client has waited so already before each of its own. */
  readonly retryAfterSeconds: number | undefined;
  /** The key of the send that failed. For 24 hours it is safe to send the same body again with this key. */
  idempotencyKey: string | undefined;

  constructor(code: ErrorCode, message: string, members: WaypostErrorMembers = {}) {
    super(message, members.cause === undefined ? undefined : { cause: members.cause });
    this.name = 'WaypostError';
    this.code = code;
    this.status = members.status;
    this.requestId = members.requestId;
    this.errors = members.errors ?? [];
    this.retryAfterSeconds = members.retryAfterSeconds;
    this.idempotencyKey = undefined;
  }
}

/** Events that nobody can read any more: those after `after` and before `oldest`. */
export interface EventGap {
  after: number;
  oldest: number;
}

/** An iteration of events met a gap, and was given no `onGap` to tell it. */
export class EventsExpiredError extends WaypostError {
  /** Which events they are. */
  readonly gap: EventGap;

  constructor(gap: EventGap) {
    super('events_expired', `The events from ${gap.after + 1} to ${gap.oldest - 1} have expired.`);
    this.name = 'EventsExpiredError';
    this.gap = gap;
  }
}
