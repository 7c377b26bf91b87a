import { type Decode, DecodeError } from './decode.ts';
import { type Failure, noConnection, readProblem, unreadable } from './failure.ts';
import { gatewayPath } from './gateway-path.ts';

export type Answer<Value> = { ok: true; value: Value; headers: Headers } | { ok: false; failure: Failure };

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | number | null | undefined>;
  /** A value that is sent as JSON, or a text that is JSON already and must keep its bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Calls the API of this gateway. A failure is returned as a value, and shown by the caller. */
export async function callApi<Value>(key: string, call: Call, decode: Decode<Value>): Promise<Answer<Value>> {
  const answer = await reach(key, call);
  if (answer === undefined) return { ok: false, failure: noConnection() };
  const body = await readBody(answer);
  if (!answer.ok) return { ok: false, failure: readProblem(answer.status, body, answer.headers.get('retry-after')) };
  try {
    return { ok: true, value: decode(body), headers: answer.headers };
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, failure: unreadable(error.message) };
    throw error;
  }
}

async function reach(key: string, { method = 'GET', path, query = {}, body, headers, signal }: Call) {
  try {
    return await fetch(gatewayPath(path) + queryOf(query), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
      cache: 'no-store',
    });
  } catch {
    // The browser says only that there was no answer, and that is shown.
    return undefined;
  }
}

function queryOf(query: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** undefined if there is no body, or if it is not JSON. */
async function readBody(answer: Response): Promise<unknown> {
  try {
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // The decoder reports that the body is not what was expected.
    return undefined;
  }
}
