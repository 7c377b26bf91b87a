import type { Agent, Dispatcher } from 'undici';
import { errorCodeOf } from '../../kernel/error-code.ts';
import { TunnelRefused } from '../../kernel/tunnel.ts';
import { AnswerTooLong } from '../address/bound-answers.ts';
import { AddressRefused, DnsFailure } from '../address/checked-addresses.ts';

/** More than this is no answer to an event; reading on would only cost. */
const ANSWER_BYTES_MAX = 64 << 10;
/** How much of the answer is kept for the customer to look at. */
const ANSWER_BYTES_KEPT = 2_048;

const HTTP_OK = 200;

/** What may go wrong beside the status. */
export const POST_ERRORS = [
  'timeout',
  'dns',
  'refused',
  'tls',
  'address_refused',
  'redirect',
  'too_large',
  'closed',
] as const;
type PostError = (typeof POST_ERRORS)[number];

/** What was seen of one HTTP request. Without an error the answer came whole; its status may still tell of a failure. */
export interface PostResult {
  httpStatus: number | null;
  error: PostError | null;
  /** As often as the answer has it. */
  retryAfter: readonly string[];
  /** The beginning of the answer as text that PostgreSQL can hold; null if none began. */
  answer: string | null;
}

/** Of a request to which nobody has answered. */
export function unanswered(error: PostError): PostResult {
  return { httpStatus: null, error, retryAfter: [], answer: null };
}

/** Nothing but data, so that it can go to another thread. */
export interface Post {
  origin: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface PostLimits {
  /** For all of it: name, connection, request and the whole answer. */
  timeoutMs: number;
  /** Breaks it off; the result is `closed` then. */
  signal?: AbortSignal | undefined;
}

/**
 * Makes one POST and reads its answer, which must come whole, within the time and within 64 KiB of headers and as much of
 * body, whatever its status. Rejects only if the request itself is impossible.
 */
export function post(agent: Agent, request: Post, limits: PostLimits): Promise<PostResult> {
  return new Promise((resolve, reject) => {
    agent.dispatch({ ...request, method: 'POST' }, new Exchange(limits, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (result: PostResult) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #httpStatus: number | null = null;
  #retryAfter: readonly string[] = [];
  #bytes = 0;

  constructor(
    { timeoutMs, signal }: PostLimits,
    resolve: (result: PostResult) => void,
    reject: (error: Error) => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#stop('timeout'), timeoutMs);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The time may have passed while the connection was made: then nothing is written.
    if (this.#settled) controller.abort(new OutcomeTold());
    else this.#controller = controller;
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // What comes before the answer, such as 103, tells nothing of what becomes of the event.
    if (status < HTTP_OK) return;
    this.#httpStatus = status;
    this.#retryAfter = [headers['retry-after'] ?? []].flat();
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    // Copied: a chunk lies in what was read from the socket, which would be kept with it, and be thousands of times as long.
    if (this.#bytes < ANSWER_BYTES_KEPT)
      this.#chunks.push(Buffer.from(chunk.subarray(0, ANSWER_BYTES_KEPT - this.#bytes)));
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_BYTES_MAX) this.#stop('too_large');
  }

  onResponseEnd(): void {
    const httpStatus = this.#httpStatus ?? 0;
    this.#settle(httpStatus >= 300 && httpStatus < 400 ? 'redirect' : null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (errorCodeOf(error) === 'UND_ERR_INVALID_ARG') this.#end(() => this.#reject(error));
    else this.#settle(wordFor(error));
  }

  readonly #abort = (): void => this.#stop('closed');

  #stop(error: PostError): void {
    this.#settle(error);
    this.#controller?.abort(new OutcomeTold());
  }

  #settle(error: PostError | null): void {
    const httpStatus = this.#httpStatus;
    const retryAfter = this.#retryAfter;
    const answer = httpStatus === null ? null : readableText(Buffer.concat(this.#chunks));
    this.#end(() => this.#resolve({ httpStatus, error, retryAfter, answer }));
  }

  #end(tell: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
    tell();
  }
}

/** Only undici sees it: the outcome was told before. */
class OutcomeTold extends Error {}

/** Bytes of any kind as text: without a character that was cut in two, and without U+0000, which PostgreSQL refuses. */
function readableText(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return whole.replaceAll('\u0000', '\ufffd');
}

const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'ENETDOWN'];
const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'];
const TOO_LARGE = ['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW'];
/** OpenSSL's words for a certificate (https://nodejs.org/api/tls.html#x509-certificate-error-codes) and for the rest. */
const TLS = /CERT|TLS|SSL|^EPROTO$|^(UNABLE|DEPTH|INVALID|ERROR)_|^(HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;

function wordFor(error: Error): PostError {
  const code = errorCodeOf(error) ?? '';
  if (error instanceof DnsFailure) return 'dns';
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof TunnelRefused || UNREACHABLE.includes(code)) return 'refused';
  if (TIMEOUTS.includes(code)) return 'timeout';
  if (error instanceof AnswerTooLong || TOO_LARGE.includes(code)) return 'too_large';
  return TLS.test(code) ? 'tls' : 'closed';
}
