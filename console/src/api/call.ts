import { type Decode, DecodeError } from './decode.ts';
import { type Failure, inDoubt, isOfGateway, noConnection, readProblem, unreadable } from './failure.ts';
import { gatewayPath } from './gateway-path.ts';
import { jsonOf } from './json-of.ts';

export type Answer<Value> = { ok: true; value: Value; headers: Headers } | { ok: false; failure: Failure };

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | number | null | undefined>;
  /** A value that is sent as JSON, or a text that is JSON already and must keep its bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Doing it twice is like doing it once, although it is a `POST`. */
  harmless?: true;
}

const REQUEST_TIMEOUT = 408;

/** A gateway that hangs, or a network that swallows, must not be waited for without end. A gateway without its database answers in 35 s. */
const READ_MS = 60_000;
/** A gateway may be set to take two minutes for a send. */
const CHANGE_MS = 150_000;

/** Calls the API of this gateway. A failure is returned as a value, and shown by the caller. */
export async function callApi<Value>(key: string, call: Call, decode: Decode<Value>): Promise<Answer<Value>> {
  const mayBeDone = call.method === 'POST' && call.harmless === undefined;
  const answer = await reach(key, call);
  if (answer === undefined) return { ok: false, failure: mayBeDone ? inDoubt(noConnection()) : noConnection() };
  const { ok, status, headers, text } = answer;
  const body = jsonOf(text);
  if (!ok) {
    const failure = readProblem(status, body, headers.get('retry-after'));
    // A gateway says itself what was done. A proxy may have passed the call on, and waited in vain.
    const isOpen = !isOfGateway(failure) && (status === REQUEST_TIMEOUT || status >= 500);
    return { ok, failure: mayBeDone && isOpen ? inDoubt(failure) : failure };
  }
  try {
    return { ok, value: decode(body), headers };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, failure: unreadable(error.message) };
    throw error;
  }
}

async function reach(key: string, { method = 'GET', path, query = {}, body, headers, signal }: Call) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), method === 'GET' ? READ_MS : CHANGE_MS);
  try {
    const answer = await fetch(gatewayPath(path) + queryOf(query), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      cache: 'no-store',
    });
    return { ok: answer.ok, status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch {
    // The browser says only that there was no answer, or not all of it, and that is shown.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function queryOf(query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
