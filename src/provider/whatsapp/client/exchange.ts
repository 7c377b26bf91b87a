import type { Client, Dispatcher } from 'undici';
import { errorCodeOf } from '../../../kernel/error-code.ts';
import { LATE_ANSWER_MS } from '../../port.ts';
import { withoutToken } from './without-token.ts';

export interface ExchangeRequest {
  method: 'GET' | 'POST';
  path: string;
  accessToken: string;
  /** JSON, if any. */
  body?: string | Buffer | undefined;
  /** From the first byte written to the last byte read. */
  timeoutMs: number;
  /** Ends the wait for the first byte to be written. What was written by then is given `LATE_ANSWER_MS` more. */
  deadline: AbortSignal | undefined;
}

/** What was seen on the wire. The first two are certain: not one byte of the request was written. */
export type ExchangeOutcome =
  | { kind: 'not_connected'; reason: string }
  | { kind: 'not_begun' }
  | { kind: 'broken'; reason: 'timeout' | 'too_large' | 'closed' }
  | { kind: 'answered'; httpStatus: number; retryAfter: string | undefined; body: string };

/** Without `accept-encoding` the answer might come in any coding (RFC 9110, 12.5.3), and nothing is unpacked here. */
const HEADERS = ['content-type', 'application/json', 'accept-encoding', 'identity'];

/**
 * One request and its answer on a client that does nothing else meanwhile; `done` is called when the client is free
 * again, which may be later than the outcome. Rejects only if the request itself is impossible.
 */
export function exchange(client: Client, request: ExchangeRequest, done: () => void): Promise<ExchangeOutcome> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(request, { resolve, reject, done });
    client.dispatch(
      {
        method: request.method,
        path: request.path,
        headers: ['authorization', `Bearer ${request.accessToken}`, ...HEADERS],
        body: request.body ?? null,
      },
      handler,
    );
    handler.watchDeadline();
  });
}

interface Listeners {
  resolve(outcome: ExchangeOutcome): void;
  reject(error: Error): void;
  done(): void;
}

/**
 * undici calls `onRequestStart` once a connection stands and in the same turn, directly after it, writes the first
 * byte; an abort inside of it prevents the writing. So before this call nothing was written, and after it something
 * may have been.
 */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: ExchangeRequest;
  readonly #listeners: Listeners;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #watching = false;
  #late = false;
  #timer: NodeJS.Timeout | undefined;
  #httpStatus = 0;
  #retryAfter: string | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(request: ExchangeRequest, listeners: Listeners) {
    this.#request = request;
    this.#listeners = listeners;
  }

  /** The deadline matters only while the request waits for a connection: on one that stands it has begun at once. */
  watchDeadline(): void {
    if (this.#controller === undefined && !this.#settled) {
      this.#watching = true;
      this.#request.deadline?.addEventListener('abort', this.#missDeadline);
    }
  }

  #unwatchDeadline(): void {
    if (!this.#watching) return;
    this.#watching = false;
    this.#request.deadline?.removeEventListener('abort', this.#missDeadline);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The deadline may have passed while the connection was made.
    if (this.#settled) {
      controller.abort(new OutcomeTold());
      return;
    }
    this.#unwatchDeadline();
    this.#controller = controller;
    this.#timer = setTimeout(this.#expire, this.#request.timeoutMs);
  }

  onResponseStart(
    _controller: unknown,
    httpStatus: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#httpStatus = httpStatus;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : undefined;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = withoutToken(Buffer.concat(this.#chunks).toString('utf8'), this.#request.accessToken);
    this.#settle({ kind: 'answered', httpStatus: this.#httpStatus, retryAfter: this.#retryAfter, body });
    this.#listeners.done();
  }

  onResponseError(_controller: unknown, error: Error): void {
    const code = codeOf(error);
    if (code === 'UND_ERR_INVALID_ARG') this.#end(() => this.#listeners.reject(error));
    else if (this.#controller === undefined) this.#settle({ kind: 'not_connected', reason: code });
    else this.#settle({ kind: 'broken', reason: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'too_large' : 'closed' });
    this.#listeners.done();
  }

  readonly #missDeadline = (): void => this.#settle({ kind: 'not_begun' });

  readonly #expire = (): void => {
    if (this.#request.deadline?.aborted === true && !this.#late) {
      this.#late = true;
      this.#timer = setTimeout(this.#expire, LATE_ANSWER_MS);
      return;
    }
    // After a pause of this process the answer may lie unread in the socket: one turn of the event loop reads it.
    setImmediate(() => {
      if (this.#settled) return;
      this.#settle({ kind: 'broken', reason: 'timeout' });
      this.#controller?.abort(new OutcomeTold());
    });
  };

  #settle(outcome: ExchangeOutcome): void {
    this.#end(() => this.#listeners.resolve(outcome));
  }

  #end(tell: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#unwatchDeadline();
    tell();
  }
}

/** Only undici sees it: the outcome was told before. */
class OutcomeTold extends Error {}

/** A word for what prevented a connection, such as ECONNREFUSED; nothing of the error's own text. */
function codeOf(error: Error): string {
  return errorCodeOf(error) ?? error.name;
}
