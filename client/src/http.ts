import { WaypostError } from './errors.ts';
import { exchange } from './exchange.ts';
import { pause } from './pause.ts';
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
  /** Below the base URL; its parts are encoded already. */
  path: string;
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  /** When the call may be made again although it may have been carried out. */
  repeatable: Repeatable;
  signal?: AbortSignal | undefined;
  /** How long the gateway may hold the answer back, beyond the time-out. */
  holdMs?: number;
}

export interface Http {
  /** The parsed body. Throws a `WaypostError`, or the reason of the caller's signal. */
  call<Body>(call: Call): Promise<Body>;
  /** The same, with the headers of the answer. */
  callWithHeaders<Body>(call: Call): Promise<{ body: Body; headers: Headers }>;
}

/** A try with less time than this would only end as a time-out, and hide what the one before has told. */
const TRY_MS_MIN = 1_000;

/** Calls the API, and repeats what may be repeated within the deadline. The bytes of every repetition are the same. */
export function createHttp(options: HttpOptions): Http {
  const callWithHeaders: Http['callWithHeaders'] = async (call) => {
    const prepared = prepare(options, call);
    const limitMs = options.deadlineMs + (call.holdMs ?? 0);
    const elapsedMs = startStopwatch();
    for (let failures = 0; ; ) {
      const leftMs = Math.max(1, Math.ceil(limitMs - elapsedMs()));
      const timeoutMs = Math.min(options.timeoutMs + (call.holdMs ?? 0), leftMs);
      const outcome = await exchange({ ...prepared, timeoutMs });
      if (outcome.ok) return { body: parseBody(call.method, outcome.text), headers: outcome.headers };
      const { error } = outcome;
      // That the first try still runs is no failure: it is waited for until the deadline.
      if (error.code !== 'idempotency_in_flight') failures += 1;
      const waitMs = failures > options.retriesMax ? undefined : waitBeforeRepeat(error, call.repeatable, failures);
      if (options.retriesMax === 0 || waitMs === undefined) throw error;
      if (elapsedMs() + waitMs + TRY_MS_MIN > limitMs) throw error;
      await pause(waitMs, call.signal);
      // The machine may have slept in the pause.
      if (elapsedMs() >= limitMs) throw error;
    }
  };
  return { callWithHeaders, call: async (call) => (await callWithHeaders<never>(call)).body };
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
 * An object, and nothing of what was deleted: whatever else answers with a 2xx, a proxy's page say, is not the gateway. The members
 * are those of the API's description. Nothing checks them here, because a newer gateway may add some.
 */
function parseBody<Body>(method: Call['method'], text: string): Body {
  try {
    const body = JSON.parse(text === '' ? 'null' : text);
    if (method === 'DELETE' ? text === '' : isObject(body)) return body;
  } catch {
    // What is no JSON is no object either.
  }
  throw new WaypostError('unexpected_answer', 'The answer is no JSON object, so it is not from the gateway.');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
