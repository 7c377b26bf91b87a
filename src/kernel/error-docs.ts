import type { ApiErrorCode, Fault } from './errors.ts';

/** What the page of an error that a whole request gets tells beyond the table: why it comes, what to do, an example. */
export interface ApiErrorDoc {
  cause: string;
  steps: readonly string[];
  /** The example's own words, as the gateway gives them. */
  detail: string;
  errors?: readonly Fault[];
  /** Headers of the example that a caller acts upon. */
  headers?: Readonly<Record<string, string>>;
}

/** A row for every code: one that is forgotten is a type error. The pages in docs/errors/ are generated from it. */
export const API_ERROR_DOCS: Readonly<Record<ApiErrorCode, ApiErrorDoc>> = {
  bad_http: {
    cause:
      'The gateway could not read a request from the connection: the bytes are not HTTP, the body has two lengths, the URL has characters that must be escaped, the headers and the URL have more than 16 KiB or about 1,000 lines (431), or the request did not arrive whole within 60 s (408). The connection is closed. If an earlier request on the connection is still being carried out, there is no such answer: the connection breaks, and you cannot know what became of that request.',
    steps: [
      'Let an HTTP library write the request, and escape what you put into the URL.',
      'Make sure that nothing between you and the gateway speaks TLS to the port for plain HTTP.',
    ],
    detail: 'The request is not valid HTTP.',
  },
  malformed_json: {
    cause:
      'The body is empty, is not valid UTF-8, is not JSON, or is not as long as the request announced. Often a quote is missing in a shell command, a text was put into JSON without escaping, or a file begins with a byte order mark.',
    steps: [
      'Let a JSON library write the body, and send exactly the bytes that it returns.',
      'In a shell, put the body into single quotes, or into a file and send it with `--data-binary @file`.',
    ],
    detail: 'The body is not valid JSON: see line 1, column 12.',
  },
  idempotency_key_invalid: {
    cause:
      'The header `Idempotency-Key` is empty or too long, has a space or a character that is not ASCII in it, or was sent twice.',
    steps: [
      'Use 1 to 255 visible ASCII characters, such as `order-42` or a UUID.',
      'Make sure that no proxy or library adds the header a second time.',
    ],
    detail: 'The key must have 1 to 255 visible ASCII characters.',
  },
  invalid_api_key: {
    cause:
      'There is no key in the `Authorization` header, or the key is not known, has expired or was revoked, or there are several such headers that differ. The answer is the same for all of these, so that nobody can find out which keys exist. Keys in a query string are not read.',
    steps: [
      'Send `Authorization: Bearer <API_KEY>`, with the whole key and nothing else.',
      'Check that the key belongs to this gateway: a key of another installation is not known here.',
      'Ask the platform for a new key if yours was revoked or has expired.',
    ],
    detail: 'The API key is missing or not valid: send all of it as "Authorization: Bearer <API_KEY>".',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  invalid_signature: {
    cause:
      "Something was posted to the provider's callback, and the header `X-Hub-Signature-256` is missing, malformed, repeated, or not made with a secret that the gateway knows. The body was not read. Only the provider and the sandbox get this answer, never a caller of the API.",
    steps: [
      "Compare the app secret in the provider's app dashboard with the one that the gateway was started with.",
      'Make sure that no proxy changes the body on its way: the signature is over the bytes as they were sent.',
      'While you rotate the secret, give the gateway both.',
    ],
    detail: 'The signature is missing or not right.',
    headers: { 'WWW-Authenticate': 'X-Hub-Signature-256' },
  },
  insufficient_scope: {
    cause:
      "The key is valid, but lacks the scope that this call needs, or it is of the wrong kind: the platform's key does not open `/api/v1`, and an account's key does not open `/platform/v1`.",
    steps: [
      'Look at `scopes` in `GET /api/v1/account`.',
      'Ask the platform for a key with the scope that the detail names.',
    ],
    detail: 'The key needs the scope messages:send.',
  },
  account_suspended: {
    cause: 'The platform has suspended the account. Everything but `GET` is refused, for every key of the account.',
    steps: [
      'Ask the platform why.',
      'You can still read: messages, events and lists stay open, and your endpoints still get events.',
    ],
    detail: 'The account is suspended.',
  },
  verification_failed: {
    cause:
      "A `GET` to the provider's callback was not a valid verification request: the verify token is not one of the gateway's, or a parameter is missing, empty or repeated.",
    steps: [
      'Enter the same verify token at the provider that the gateway was started with.',
      "After you have changed the gateway's tokens, restart it, and then let the provider ask again.",
    ],
    detail: 'The verification request is not valid.',
  },
  not_found: {
    cause:
      'The path does not exist, or the id is not well formed, or nothing with this id can be seen: it never existed, is no longer kept, or belongs to another account or to the other mode.',
    steps: [
      'Compare the path with the API description.',
      'Use a key of the mode in which it was created: a test key never sees what is live, and a live key never sees tests.',
      'Check how long things are kept: a message is gone after 90 days unless the platform says otherwise.',
    ],
    detail: 'There is no such message.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    steps: ['Use a method that the `Allow` header names.'],
    detail: 'Use POST.',
    headers: { Allow: 'POST' },
  },
  idempotency_in_flight: {
    cause:
      'A request with this idempotency key and this body is still under way, or its gateway has crashed and the request is not recovered yet. This call did nothing.',
    steps: [
      'Wait as long as `Retry-After` says, and repeat the same request with the same key.',
      'Do not use a new key: that would be a second send.',
    ],
    detail: 'The first request with this key is still running.',
    headers: { 'Retry-After': '1' },
  },
  channel_taken: {
    cause:
      'Another channel of this account, or of another account of the platform, has this phone number id. A number can have one channel only.',
    steps: [
      'Look through `GET /platform/v1/accounts/{id}/channels` for the channel that has it.',
      'Remove that channel if you want to move the number. Its messages stay where they are.',
    ],
    detail: 'This phone number id belongs to another channel.',
  },
  payload_too_large: {
    cause: 'The body is larger than 1 MiB, or larger than 4 MiB at the callback.',
    steps: [
      'Send to fewer recipients at once.',
      'Give media as links, or by the ids that the provider gave them. A body never has the media themselves in it.',
    ],
    detail: 'The body is larger than the 1048576 bytes that this route takes.',
  },
  unsupported_media_type: {
    cause:
      'The header `Content-Type` is missing, is there twice or is not `application/json` in UTF-8, or the body is compressed, by a `Content-Encoding` or a `Transfer-Encoding`.',
    steps: [
      'Send `Content-Type: application/json`, once.',
      'Send no `Content-Encoding`, and no `Transfer-Encoding` but `chunked`.',
    ],
    detail: 'The content type must be application/json.',
  },
  invalid_request: {
    cause:
      'The body or the query does not fit the call: a member is missing, unknown, of the wrong type or out of range. `errors` lists every fault at once. `pointer` is a JSON Pointer into your body, `parameter` the name of a query parameter.',
    steps: ['An unknown member is often a typo.', 'Do not repeat the call unchanged: the answer stays the same.'],
    detail: 'The body is not a valid send.',
    errors: [
      {
        pointer: '#/txt',
        detail: 'This member is not known. Known here: to, from, type, text, template, client_reference.',
      },
      { pointer: '#/text', detail: 'This member is missing.' },
    ],
  },
  too_many_recipients: {
    cause: 'One send takes 1 to 50 recipients, duplicates included. Nobody got a message.',
    steps: [
      'Split the recipients into several requests, each with an idempotency key of its own.',
      'Keep to the rate of recipients a second that your key has.',
    ],
    detail: 'There are 51 recipients; 50 are allowed.',
  },
  idempotency_mismatch: {
    cause:
      'Within the last 24 hours the key was used for a body with other bytes. Bodies are compared as bytes: a changed order of members, or one more space, makes another body.',
    steps: [
      'For a new send, use a new key.',
      'To repeat a send, keep the bytes of its body with its key, and send these bytes.',
    ],
    detail: 'The first request with this key had another body.',
  },
  no_channel: {
    cause:
      "Waypost could not choose a channel. Either the account has no channel of the key's mode; or it has several, and none of them is the default; or several have the phone number in `from`; or the key is a test key and the sandbox is off.",
    steps: [
      'Look at `GET /api/v1/channels`, with the same key.',
      'Name a channel in `from`, by its id, or ask the platform to make one the default.',
    ],
    detail: "There is no channel of the key's mode, which is live.",
  },
  unknown_channel: {
    cause: "No channel of the account has this id or phone number in the key's mode.",
    steps: ['Look at `GET /api/v1/channels`, with the same key, and take an `id` or a `phone_number` from there.'],
    detail: 'No channel of this mode has this id or phone number.',
  },
  channel_refused: {
    cause:
      "Waypost asked the provider for the phone number, or to subscribe our app to its business account, and the provider refused. Nothing was changed. The detail has the provider's own words. Or it is a test channel, and the sandbox is off.",
    steps: [
      'Take care not to mix up the phone number id and the business account id.',
      'Check whether the access token has expired, and whether its user may use this number and this business account.',
    ],
    detail: 'Invalid OAuth access token - Cannot parse access token',
  },
  rate_limited: {
    cause:
      'The key has used up its requests a second or its recipients a second. A call that does not fit as a whole is refused as a whole, so nobody got a message. Or too many streams, waiting feed calls or test events of the account are open at once; then `detail` says so.',
    steps: [
      'If you repeat a send, use the same idempotency key.',
      'Read the `RateLimit` fields of every answer, and slow down before they reach 0.',
      'Ask the platform whether the limits can be raised.',
    ],
    detail: 'The limit of requests a second is used up.',
    headers: { 'Retry-After': '1' },
  },
  internal_error: {
    cause:
      'Something unforeseen went wrong in the gateway, and it is not known whether a send was carried out. Or the database broke off at the commit of a change, and it is not known whether the change was made; then `detail` says so.',
    steps: [
      'Repeat a send with the same idempotency key and the same body: if it was carried out, you get its answer.',
      'If you gave no key, look for the messages by `client_reference` or by number before you send again.',
      'If you created or changed something, check whether that was done, and only then repeat the call. If you did not see a new key or secret, make another one: roll the new key that `GET /platform/v1/accounts/{id}/keys` lists, or rotate the secret again.',
      'Tell the platform the `request_id`. Its log says under this id what went wrong.',
    ],
    detail: 'Something went wrong on our side.',
  },
  unavailable: {
    cause:
      'One of these is the reason:\n\n- The database cannot be reached or did not answer in time, or this call and another one got in each other’s way there.\n- The gateway is stopping, or has too much to do.\n- The call needs the provider, which did not answer, had a fault of its own, or could not be asked because a channel is suspended.\n\nThis call transmitted nothing. If a change may have been made all the same, the answer is `internal_error` instead.',
    steps: [
      'If you repeat a send, use the same idempotency key and the same body.',
      'If it persists, wait longer each time. `GET /readyz` says whether the gateway takes work, and `GET /api/v1/channels` whether a channel is suspended.',
    ],
    detail: 'The store cannot be reached.',
    headers: { 'Retry-After': '1' },
  },
};
