import { WaypostError } from './errors.ts';
import { exchange } from './exchange.ts';
import { pause } from './pause.ts';
import { isProven, type Proof } from './proof.ts';
import { type Repeatable, waitBeforeRepeat } from './repeat.ts';
import { startStopwatch } from './stopwatch.ts';

export interface HttpOptions {
  /** Without a final slash. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  timeoutMs: number;
  deadlineMs: number;
  retriesMax: number;
}

export type Query = Record<string, string | number | undefined>;

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base URL. Its parts are already encoded. */
  path: string;
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  /** When the call may be made again after it has failed. */
  repeatable: Repeatable;
  /** The member of the body by which the answer is known for a gateway's. A `DELETE` is answered without a body. */
  proof: Proof | undefined;
  signal?: AbortSignal | undefined;
  /** How long the gateway may hold the answer back. The time-out is extended by this. */
  holdMs?: number;
}

export interface Http {
  /** The parsed body. Throws a `WaypostError`, or the reason of the caller's signal. */
  call<Body>(call: Call): Promise<Body>;
  /** The same, with the headers of the answer. */
  callWithHeaders<Body>(call: Call): Promise<{ body: Body; headers: Headers }>;
  /** Reads what is at a path, which may always be repeated. */
  read<Body>(path: string, proof: Proof, more: Pick<Call, 'query' | 'signal' | 'holdMs'>): Promise<Body>;
}

/** A try with less time would only end as a time-out, and hide the error of the try before. */
const TRY_MS_MIN = 1_000;

/** Calls the API, and repeats within the deadline what may be repeated. Every repetition has the same bytes. */
export function createHttp(options: HttpOptions): Http {
  const callWithHeaders: Http['callWithHeaders'] = async (call) => {
    const prepared = prepare(options, call);
    const limitMs = options.deadlineMs + (call.holdMs ?? 0);
    const elapsedMs = startStopwatch();
    for (let failures = 0; ; ) {
      const leftMs = Math.max(1, Math.ceil(limitMs - elapsedMs()));
      const timeoutMs = Math.min(options.timeoutMs + (call.holdMs ?? 0), leftMs);
      const outcome = await exchange({ ...prepared, timeoutMs });
      if (outcome.ok) return { body: parseBody(call.proof, outcome.text), headers: outcome.headers };
      const { error } = outcome;
      // That the first try is still running is no failure: it is awaited until the deadline.
      if (error.code !== 'idempotency_in_flight') failures += 1;
      const waitMs = failures > options.retriesMax ? undefined : waitBeforeRepeat(error, call.repeatable, failures);
      if (options.retriesMax === 0 || waitMs === undefined) throw error;
      if (elapsedMs() + waitMs + TRY_MS_MIN > limitMs) throw error;
      await pause(waitMs, call.signal);
      // The machine may have slept during the pause.
      if (elapsedMs() >= limitMs) throw error;
    }
  };
  const call: Http['call'] = async (one) => (await callWithHeaders<never>(one)).body;
  return {
    callWithHeaders,
    call,
    read: (path, proof, more) => call({ method: 'GET', path, repeatable: 'always', proof, ...more }),
  };
}

function prepare({ baseUrl, apiKey, fetch }: HttpOptions, { method, path, query, body, headers, signal }: Call) {
  return {
    fetch,
    method,
    url: `${baseUrl}${path}${queryText(query)}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  };
}

function queryText(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/**
 * Reads the body of a 2xx. It must be an object with the member that proves it, or empty where there is none; otherwise it does not come
 * from the gateway but from a proxy, say, or another service. The other members are those of the API's description. They are not checked
 * here, because a newer gateway may add some.
 */
function parseBody<Body>(proof: Call['proof'], text: string): Body {
  try {
    const body = JSON.parse(text === '' ? 'null' : text);
    if (proof === undefined ? text === '' : isProven(body, proof)) return body;
  } catch {
    // Text that is not JSON is no object either.
  }
  throw new WaypostError('unexpected_answer', 'The answer is not the JSON that a gateway answers with.');
}
