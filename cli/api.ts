import { readRetryAfter } from '../client/src/retry-after.ts';
import { explainSilence, type Silence } from './explain-silence.ts';
import { Failure } from './failure.ts';
import { isOfGateway } from './is-of-gateway.ts';
import { adviseOnStranger, failureOf, readProblem } from './problem.ts';

/** Longer than the longest answer takes, to a send (25 s) and to a waiting read (30 s). */
const CALL_TIMEOUT_MS = 60_000;

const OPEN = 'It is not known whether that was done. Look before you do it again.';

export interface Answer {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  /** The body as JSON; undefined if it is none. */
  json: unknown;
}

export interface CallOptions {
  query?: Record<string, string | undefined>;
  body?: object;
  /** Doing it twice is like doing it once, although it is a `POST`. */
  harmless?: boolean;
}

export interface Api {
  url: string;
  key: string;
  keySource: string;
  /** Makes one call and returns its answer, whatever that is. Throws `NoAnswer` if there is none. */
  ask(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The same, but throws for any answer that is not a gateway's 2xx. The error says what is wrong, in words for a person. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** The connection was refused, broke, or stayed silent. It is not known whether the call was carried out. */
export class NoAnswer extends Failure {
  readonly detail: string;
  readonly advice: string;
  /** Whether something was reached whose certificate is not signed by anybody that Node knows. */
  readonly untrusted: boolean;
  /** Whether a connection never came about, so that nothing can have been done. */
  readonly unconnected: boolean;

  constructor(detail: string, { advice, untrusted, unconnected }: Omit<Silence, 'reason'>) {
    super(`${detail}\n${advice}`);
    this.detail = detail;
    this.advice = advice;
    this.untrusted = untrusted;
    this.unconnected = unconnected;
  }
}

/** The gateway at this address, called with one key. `keySource` says where the key came from, for errors. */
export function createApi(url: string, key: string | undefined, keySource: string): Api {
  const ask: Api['ask'] = (method, path, { query, body } = {}) =>
    exchange(`${url}${path}${formatQuery(query)}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    url,
    key: key ?? '',
    keySource,
    ask,
    async call(method, path, options) {
      const told = (failure: Failure) =>
        method === 'GET' || options?.harmless ? failure : new Failure(`${failure.message}\n${OPEN}`);
      const answer = await ask(method, path, options).catch((error: unknown) => {
        throw error instanceof NoAnswer && !error.unconnected ? told(error) : error;
      });
      if (isOfGateway(method, answer)) return answer;
      const { status, headers } = answer;
      const problem = status >= 200 && status <= 299 ? undefined : readProblem(answer);
      const failure =
        problem === undefined
          ? new Failure(`${url} answered ${status}.\n${adviseOnStranger(status, readRetryAfter(headers))}`)
          : failureOf(problem, { url, keySource });
      // A gateway's 503 says that nothing was done. A proxy's, or its 408, says nothing of what became of a call that it had passed on.
      const isOpen = problem === undefined ? status === 408 || status >= 500 : status === 500;
      throw isOpen ? told(failure) : failure;
    },
  };
}

/** Makes one HTTP exchange. A redirect is not followed, because the key must reach nobody else. */
export async function exchange(
  target: string,
  init: Omit<RequestInit, 'redirect' | 'signal'>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(target, { ...init, redirect: 'manual', signal });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: readJson(text) };
  } catch (error) {
    const { reason, ...silence } = explainSilence(error);
    const why = signal.aborted ? `nothing came within ${timeoutMs / 1_000} s` : reason;
    throw new NoAnswer(`No answer from ${new URL(target).origin}: ${why}.`, silence);
  }
}

function formatQuery(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The page of some proxy, or nothing: the status says what happened.
  }
}
