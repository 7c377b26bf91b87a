import { isObject } from './decode.ts';

/** One fault of a request: where it is, and what is wrong. */
export interface Fault {
  /** A JSON Pointer as a URI fragment, or the name of a query's parameter. */
  place: string;
  detail: string;
}

/** A call that failed, in the words that are shown. */
export interface Failure {
  /** 0 if no answer came. */
  status: number;
  code: string;
  title: string;
  detail: string;
  /** What a person can do about it. */
  action: string;
  docUrl: string | null;
  requestId: string | null;
  faults: Fault[];
  retryAfterSeconds: number | null;
}

/** What to do about an error answer. The pages behind `type` say more. */
const ACTIONS: Record<string, string> = {
  invalid_api_key: 'Sign in again with a key that is valid.',
  insufficient_scope: 'Sign in with a key that has the scope named above.',
  account_suspended: 'Ask who runs the platform. Reading stays possible.',
  not_found:
    'Check the id. It may have been deleted, or be past the time that it is kept. What belongs to another account or mode cannot be seen either.',
  idempotency_in_flight: 'Repeat the same request in a moment.',
  channel_taken: 'Remove that channel first, or connect another number.',
  payload_too_large: 'Send less at once.',
  invalid_request: 'Correct what is listed and try again.',
  too_many_recipients: 'Send to 50 people at most, and to the rest in a second request.',
  no_channel: 'Choose a channel, or ask who runs the platform to connect one.',
  unknown_channel: 'Choose another channel.',
  channel_refused: 'Check the number, the business account and the access token.',
  rate_limited: 'Wait a moment and try again.',
  internal_error:
    'If you were changing something, check whether it was done before you try again. If this goes on, tell the platform the request id.',
  unavailable: 'Nothing was done. Try again in a moment.',
};

/** What a program is told to put into a header, a person puts into a field. */
const DETAILS: Record<string, string> = { invalid_api_key: 'This key is not valid here.' };

/** Reads an error answer. If it is not a problem page, it comes from something between this page and the gateway. */
export function readProblem(status: number, body: unknown, retryAfter: string | null): Failure {
  const problem = isObject(body) ? body : {};
  const code = textOr(problem.code, codeOf(status));
  return {
    status,
    code,
    title: textOr(problem.title, `The answer has the status ${status}`),
    detail: DETAILS[code] ?? textOr(problem.detail, 'The answer does not say why.'),
    action: ACTIONS[code] ?? 'Try again. If this goes on, tell whoever runs the gateway.',
    docUrl: typeof problem.type === 'string' && problem.type.startsWith('http') ? problem.type : null,
    requestId: typeof problem.request_id === 'string' ? problem.request_id : null,
    faults: readFaults(problem.errors),
    retryAfterSeconds: retryAfter !== null && /^[0-9]+$/.test(retryAfter) ? Number(retryAfter) : null,
  };
}

/** Whether the gateway itself refused the key or its scopes: something between may refuse today what it lets through tomorrow. */
export function isRefusal(failure: Failure): boolean {
  return (failure.status === 401 || failure.status === 403) && isOfGateway(failure);
}

/** Whether an answer names a code, as the gateway's do. */
export function isOfGateway({ status, code }: Failure): boolean {
  return code !== codeOf(status);
}

/** The same failure of something that must not be done twice, where nobody has said what became of it. */
export function inDoubt(failure: Failure): Failure {
  return { ...failure, action: 'It is not known whether that was done. Look before you do it again.' };
}

/** For an answer that names no code. */
function codeOf(status: number): string {
  return `http_${status}`;
}

/** There was no answer. */
export function noConnection(): Failure {
  return localFailure(
    'no_connection',
    'The gateway cannot be reached',
    'No answer came: it may be stopped, or the network is down.',
    'Check that the gateway runs, then try again.',
  );
}

/** The text that was given cannot be put into the header that carries a key, so the gateway cannot be asked about it. */
export function notAKey(): Failure {
  return localFailure(
    'invalid_api_key',
    'This is no key',
    'There is something in it that no key has, such as a space, a quotation mark or a sign that cannot be seen.',
    'Copy the key once more, and nothing beside it.',
  );
}

/** An answer that this console cannot read. */
export function unreadable(detail: string): Failure {
  return localFailure(
    'unreadable_answer',
    'The answer cannot be read',
    detail,
    'Reload the page: the console may be older than the gateway.',
  );
}

function localFailure(code: string, title: string, detail: string, action: string): Failure {
  return {
    ...{ status: 0, code, title, detail, action, docUrl: null },
    ...{ requestId: null, faults: [], retryAfterSeconds: null },
  };
}

function readFaults(errors: unknown): Fault[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isObject).map(({ pointer, parameter, detail }) => ({
    place: textOr(pointer, textOr(parameter, '')),
    detail: textOr(detail, 'This is not valid.'),
  }));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
