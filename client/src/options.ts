import type { HttpOptions } from './http.ts';

export interface WaypostOptions {
  /** Where the gateway is, such as `https://waypost.example.com`, without `/api/v1`. */
  baseUrl: string;
  /** A key of the account, `wp_live_...` or `wp_test_...`. */
  apiKey: string;
  /** A `fetch` to use instead of the runtime's. */
  fetch?: typeof fetch | undefined;
  /** How long one try may take; 30 s if it is not given. */
  timeoutMs?: number | undefined;
  /** How long a call may take with all its tries and pauses; 90 s if it is not given. */
  deadlineMs?: number | undefined;
  /** How often a call that failed is made again, where that is safe; 4 if it is not given, and 0 for never. */
  retriesMax?: number | undefined;
}

export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Longer than the 25 s within which the gateway answers a send, unless its platform has set another deadline. */
const TIMEOUT_MS = 30_000;
/** Enough for a whole try, and for the recovery after a crash of the node that had it, which takes up to 30 s. */
const DEADLINE_MS = 90_000;
const RETRIES_MAX = 4;

/** Checks the options, so that a mistake is reported here and not at the first call. No message contains the key. */
export function readOptions(options: WaypostOptions): HttpOptions {
  // JavaScript lets everything be left out, and a variable of the environment may not be set.
  const some: Partial<WaypostOptions> | undefined = options;
  const missing = (['baseUrl', 'apiKey'] as const).filter((name) => !some?.[name]);
  if (missing.length > 0) throw new TypeError(`new Waypost({ baseUrl, apiKey }) is without ${missing.join(' and ')}.`);
  const { baseUrl, apiKey, fetch: given, timeoutMs = TIMEOUT_MS, deadlineMs = DEADLINE_MS } = options;
  const { retriesMax = RETRIES_MAX } = options;
  if (!isHttpUrl(baseUrl)) throw new TypeError('baseUrl must be an http or https address without query and fragment.');
  if (/\/api\/v1\/*$/.test(baseUrl)) throw new TypeError("baseUrl must be the gateway's address, without /api/v1.");
  // If a header cannot be sent, the error of `fetch` would quote it.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey must be a key of Waypost, without spaces or line breaks.');
  if (!(timeoutMs > 0 && deadlineMs > 0)) throw new TypeError('timeoutMs and deadlineMs must be above 0.');
  if (!Number.isInteger(retriesMax) || retriesMax < 0) throw new TypeError('retriesMax must be 0 or a whole number.');
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    // Called as a method of `globalThis`, because browsers refuse their `fetch` as a method of another object.
    fetch: given ?? ((...call) => globalThis.fetch(...call)),
    timeoutMs,
    deadlineMs,
    retriesMax,
  };
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  // In the text itself: the parts of a URL do not show a query or fragment that is empty, nor a space at the end.
  return /^https?:$/.test(protocol) && `${username}${password}` === '' && !/[?# ]/.test(text);
}
