/**
 * Every error that an HTTP caller can get, in one table: the status, the title (the same for every occurrence) and
 * what to do about it. The pages in docs/errors/ are generated from it.
 */
export const API_ERRORS = {
  bad_http: {
    status: 400,
    title: 'The request is not valid HTTP',
    action:
      'Use an HTTP library. The status is 408 if the request was not sent in time, and 431 if its headers are too large.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    action: 'Send one JSON value in UTF-8. An empty body and broken UTF-8 are refused too.',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The idempotency key is malformed',
    action: 'Send the header once, with 1 to 255 visible ASCII characters, quoted or bare.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    action: 'Send a key that exists, has not expired and was not revoked, as "Authorization: Bearer <API_KEY>".',
  },
  invalid_signature: {
    status: 401,
    title: 'The signature is not valid',
    action: 'Sign the raw bytes of the body with the app secret that the platform configured.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key may not do this',
    action: 'Use a key of the kind, or with the scope, that the detail names.',
  },
  account_suspended: {
    status: 403,
    title: 'The account is suspended',
    action: 'Ask the platform why. Reading stays possible.',
  },
  verification_failed: {
    status: 403,
    title: 'The verification request is not valid',
    action: 'Configure the same verify token at the provider and at the platform.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    action: 'Check the path and the id. What belongs to another account or mode cannot be seen either.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    action: 'Use one of the methods in the "Allow" header.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The first request with this idempotency key is still running',
    action: 'Repeat the same request after the seconds in "Retry-After".',
  },
  channel_taken: {
    status: 409,
    title: 'The phone number id belongs to another channel',
    action: 'Remove that channel first, or connect another number.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    action: 'Send less in one request.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    action: 'Send "Content-Type: application/json", in UTF-8 and without a "Content-Encoding".',
  },
  invalid_request: {
    status: 422,
    title: 'The request is not valid',
    action: 'Correct every fault listed in "errors".',
  },
  too_many_recipients: {
    status: 422,
    title: 'There are more than 50 recipients',
    action: 'Send the rest in further requests.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The idempotency key was used for another body',
    action: 'Repeat the first body byte for byte, or use a new key for a new send.',
  },
  no_channel: {
    status: 422,
    title: 'There is no channel to send from',
    action: 'Name one in "from", or connect a channel and make it the default.',
  },
  unknown_channel: {
    status: 422,
    title: 'The channel in "from" is not known',
    action: "Use the id or the phone number of one of your channels of the key's mode.",
  },
  channel_refused: {
    status: 422,
    title: 'The provider refused the channel',
    action: 'Check the number, the business account and the access token.',
  },
  rate_limited: {
    status: 429,
    title: 'The rate limit of the key is used up',
    action: 'Repeat after the seconds in "Retry-After".',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    action:
      'Repeat a send with the same idempotency key. Before you repeat any other change, check whether it was made. If it persists, tell the platform the request id.',
  },
  unavailable: {
    status: 503,
    title: 'The service cannot take this now',
    action: 'Nothing was transmitted. Repeat after the seconds in "Retry-After".',
  },
} as const satisfies Record<string, { status: number; title: string; action: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** One fault of a request: where it is (a JSON Pointer as a URI fragment, or a parameter's name) and what is wrong. */
export type Fault = PointerFault | { parameter: string; detail: string };

export interface PointerFault {
  pointer: string;
  detail: string;
}

export interface ApiErrorExtras {
  errors?: Fault[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The caller is wrong, or we cannot serve it now. `detail` is shown to the caller: never put a secret into it. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly errors: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ApiErrorCode, detail: string, extras: ApiErrorExtras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = API_ERRORS[code].status;
    this.errors = extras.errors;
    this.headers = extras.headers ?? {};
  }
}
