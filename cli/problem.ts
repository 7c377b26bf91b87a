import { WaypostError } from '../client/src/index.ts';
import { readRetryAfter } from '../client/src/retry-after.ts';
import type { Answer } from './api.ts';
import { explainSilence } from './explain-silence.ts';
import { Failure } from './failure.ts';
import { listOf } from './list-of.ts';
import { printable } from './table.ts';

/** What an error answer says, whether it was read here or by the client. */
export interface Problem {
  code: string;
  status: number | undefined;
  detail: string;
  /** Where the request is wrong: a pointer into its body, or the name of a parameter. */
  errors: { place: string; detail: string }[];
  requestId: string | undefined;
  retryAfterSeconds: number | undefined;
}

/** Where the call went, and where its key came from. */
export interface Caller {
  url: string;
  keySource: string;
}

/** The problem page in an answer; undefined if it is not one of a gateway. */
export function readProblem(answer: Answer): Problem | undefined {
  const { code, detail, title, errors, request_id: requestId }: Record<string, unknown> = Object(answer.json);
  if (typeof code !== 'string') return undefined;
  return {
    code,
    status: answer.status,
    detail: printable(detail ?? title),
    errors: listOf(errors).map(readFault),
    requestId: typeof requestId === 'string' ? requestId : undefined,
    retryAfterSeconds: readRetryAfter(answer.headers),
  };
}

/** The failure of a call in lines for a person: what is wrong, where, and what to do. */
export function failureOf(problem: Problem, { url, keySource }: Caller): Failure {
  const { code, status, detail, errors, requestId, retryAfterSeconds } = problem;
  const advice = adviceOf(code, keySource);
  const lines = [
    `${detail} (${[status, code].filter(Boolean).join(' ')})`,
    ...errors.map((error) => `  ${error.place}  ${error.detail}`),
    ...(advice === undefined ? [] : [advice]),
    ...(retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`]),
    ...(requestId === undefined ? [] : [`More: ${url}/docs/errors/${code}  (call ${requestId})`]),
  ];
  return new Failure(lines.join('\n'));
}

/** The same for an error of the client. Any other error is thrown on. */
export function failureOfClient(error: unknown, caller: Caller): Failure {
  if (!(error instanceof WaypostError)) throw error;
  const { code, status, message, requestId, retryAfterSeconds } = error;
  if (code === 'no_answer')
    return new Failure(`${describeSilence(error, caller.url)}\n${explainSilence(error.cause).advice}`);
  if (code === 'unexpected_answer')
    return new Failure(`${message} (${caller.url})\n${adviseOnStranger(status, retryAfterSeconds)}`);
  const errors = error.errors.map(readFault);
  return failureOf({ code, status, detail: printable(message), errors, requestId, retryAfterSeconds }, caller);
}

/** That nothing answered the client, and why. */
export function describeSilence({ message, cause }: WaypostError, url: string): string {
  // The client itself has ended a call that took too long, and says so.
  const isTimeout = cause instanceof Error && cause.name === 'AbortError';
  return isTimeout ? `${message} (${url})` : `No answer from ${url}: ${explainSilence(cause).reason}.`;
}

/** What to do about an answer that is not a gateway's. */
export function adviseOnStranger(status = 0, retryAfterSeconds: number | undefined): string {
  if (status !== 429 && status < 500) return 'That is not how a Waypost gateway answers. Is --url right?';
  const when = retryAfterSeconds === undefined ? 'later' : `in ${retryAfterSeconds} s`;
  return `A proxy answers so while the gateway behind it is away, or to too many calls. Try again ${when}. Is the gateway running?`;
}

function readFault(error: unknown): { place: string; detail: string } {
  const { pointer, parameter, detail }: Record<string, unknown> = Object(error);
  return { place: printable(pointer ?? parameter), detail: printable(detail) };
}

function adviceOf(code: string, keySource: string): string | undefined {
  switch (code) {
    case 'invalid_api_key':
      return `The key is from ${keySource}. Look with "npx waypost config"; give another one with --key-file, WAYPOST_API_KEY or, for the platform's commands, WAYPOST_PLATFORM_KEY.`;
    case 'insufficient_scope':
      return `The key from ${keySource} may not do this. The platform's commands need a platform key, all others a key of an account with that scope.`;
    case 'account_suspended':
      return 'It may only read. Whoever runs the platform can resume it: npx waypost accounts resume ID';
    default:
      return undefined;
  }
}
