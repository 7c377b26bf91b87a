import { WaypostError } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { readRetryAfter } from './retry-after.ts';
import { startTimer } from './timer.ts';
import type { Fault } from './types.ts';

export interface Exchange {
  fetch: typeof fetch;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export type Outcome = { ok: true; text: string; headers: Headers } | { ok: false; error: WaypostError };

/** Makes one HTTP call. It throws only if the caller's own signal is aborted; everything else is an outcome. */
export async function exchange({ fetch, url, timeoutMs, signal, ...init }: Exchange): Promise<Outcome> {
  const ending = new AbortController();
  const end = () => ending.abort();
  let timedOut = false;
  const timer = startTimer(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal?.addEventListener('abort', end);
  try {
    signal?.throwIfAborted();
    const answer = await fetch(url, {
      method: init.method,
      headers: init.headers,
      ...(init.body !== undefined && { body: init.body }),
      // A redirect would send the key to an address that nobody has configured.
      redirect: 'manual',
      signal: ending.signal,
    });
    const text = await answer.text();
    return answer.ok ? { ok: true, text, headers: answer.headers } : { ok: false, error: errorOf(answer, text) };
  } catch (cause) {
    signal?.throwIfAborted();
    return { ok: false, error: noAnswer(cause, timedOut ? timeoutMs : undefined) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function noAnswer(cause: unknown, timedOutMs: number | undefined): WaypostError {
  const how =
    timedOutMs === undefined
      ? `The connection failed or broke${codeIn(cause)}.`
      : `It took more than ${timedOutMs} ms.`;
  return new WaypostError('no_answer', `The gateway did not answer. ${how}`, { cause });
}

/** Why, as the system or its TLS calls it: a wrong port, a wrong name and a wrong scheme each have a code of their own. */
function codeIn(error: unknown): string {
  const { code, cause }: { code?: unknown; cause?: unknown } = Object(error);
  if (typeof code === 'string') return `: ${code}`;
  return cause === undefined ? '' : codeIn(cause);
}

function errorOf({ status, headers }: Response, text: string): WaypostError {
  const members = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers),
  };
  const problem = readProblem(text);
  if (problem === undefined) return new WaypostError('unexpected_answer', `The answer is an HTTP ${status}.`, members);
  return new WaypostError(problem.code, problem.detail, { ...members, errors: problem.errors });
}

interface Problem {
  code: string;
  detail: string;
  errors: Fault[];
}

/** The members of an error answer that the client uses; undefined if this is not an error answer of the gateway. */
function readProblem(text: string): Problem | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, detail, errors }: Partial<Record<string, unknown>> = { ...value };
  if (typeof code !== 'string') return undefined;
  return {
    code,
    detail: typeof detail === 'string' ? detail : code,
    errors: Array.isArray(errors) ? errors.filter(isFault) : [],
  };
}

function isFault(value: unknown): value is Fault {
  if (typeof value !== 'object' || value === null || !('detail' in value)) return false;
  return typeof value.detail === 'string' && ('pointer' in value || 'parameter' in value);
}
