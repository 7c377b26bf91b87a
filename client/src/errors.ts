import type { Fault, Problem } from './types.ts';

/** The codes of the API. */
export type ApiErrorCode = Problem['code'];

/** Failures that only the client can see. */
export type ClientErrorCode =
  /** The connection failed, broke or took too long. What the gateway did with the call is open. */
  | 'no_answer'
  /** Something answered that is not the API: a proxy's page, say, or a redirect. */
  | 'unexpected_answer'
  /** Events between the number asked for and the oldest one kept have expired. */
  | 'events_expired'
  /** The log ends before the number asked for, so the number belongs to another account, mode or gateway. */
  | 'sequence_unknown';

/** Later gateways may have further codes, so that a `switch` over them needs a `default`. */
export type ErrorCode = ApiErrorCode | ClientErrorCode | (string & {});

export interface WaypostErrorMembers {
  status?: number | undefined;
  requestId?: string | undefined;
  errors?: Fault[] | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/**
 * A call that got no answer of its own. Decide by `code`; the message may change. What happened to single recipients
 * is never thrown: it stands in the answer of the send.
 */
export class WaypostError extends Error {
  readonly code: ErrorCode;
  /** The HTTP status; undefined if nothing answered. */
  readonly status: number | undefined;
  /** Names this HTTP call to the platform's support. */
  readonly requestId: string | undefined;
  /** Every fault of the request, where the code is `invalid_request`. */
  readonly errors: Fault[];
  readonly retryAfterSeconds: number | undefined;
  /** The key of the send that failed. To send again with the same body and this key is safe for 24 hours. */
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

/** An iteration of events met a gap and was not told what to do about it. */
export class EventsExpiredError extends WaypostError {
  readonly gap: EventGap;

  constructor(gap: EventGap) {
    super('events_expired', `The events from ${gap.after + 1} to ${gap.oldest - 1} have expired.`);
    this.name = 'EventsExpiredError';
    this.gap = gap;
  }
}
