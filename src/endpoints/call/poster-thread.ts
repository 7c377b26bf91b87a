import { Worker } from 'node:worker_threads';
import { compiledSources } from '../../kernel/compiled-sources.ts';
import { errorCodeOf } from '../../kernel/error-code.ts';
import { inOneMessage } from './one-message.ts';
import { type PostResult, unanswered } from './post.ts';
import type { Poster } from './poster.ts';
import type { Order, Told } from './thread-messages.ts';

/** A thread without a call for so long ends, and gives its memory back; the next call begins another one. */
const IDLE_MS = 60_000;
/** Node's code for a thread that the system does not give, because no more files or processes may be open. */
const NO_THREAD = 'ERR_WORKER_INIT_FAILED';

/**
 * Calls in a thread of its own, which begins with the first call and takes some 40 MB. An endpoint can make a TLS handshake so
 * expensive that the thread does nothing else for a third of a second, at each attempt
 * (docs/decisions/0029-tls-of-endpoints-has-a-thread.md). A fault of ours there is thrown here, where nobody catches it.
 */
export class PosterThread implements Poster {
  readonly #waiting = new Map<number, (result: PostResult) => void>();
  readonly #idleMs: number;
  readonly #proxyUrl: string | undefined;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Of the threads that have ended. */
  #busyMs = 0;
  #closed = false;
  #lastId = 0;
  readonly #order = inOneMessage<Order>((orders) => this.#tell(orders));

  constructor({ idleMs = IDLE_MS, proxyUrl }: { idleMs?: number | undefined; proxyUrl?: string | undefined } = {}) {
    this.#idleMs = idleMs;
    this.#proxyUrl = proxyUrl;
  }

  post(...[request, local, signal]: Parameters<Poster['post']>): Promise<PostResult> {
    if (this.#closed || signal?.aborted) return Promise.resolve(CLOSED);
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const breakOff = () => this.#order({ kind: 'break_off', id });
      signal?.addEventListener('abort', breakOff);
      this.#waiting.set(id, (result) => {
        signal?.removeEventListener('abort', breakOff);
        resolve(result);
      });
      this.#order({ kind: 'call', id, request, local });
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
    this.#settleAll();
  }

  /** How long it has worked so far. */
  busySeconds(): number {
    return (this.#busyMs + busyMsOf(this.#worker)) / 1_000;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    clearTimeout(this.#idle);
    this.#busyMs += busyMsOf(worker);
    this.#worker = undefined;
    await worker?.terminate();
  }

  #tell(orders: Order[]): void {
    if (this.#closed) return;
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(orders);
    } catch (fault) {
      this.#fail(fault);
    }
  }

  #start(): Worker {
    // It needs no other setting.
    const env = { ...compiledSources(), ...(this.#proxyUrl !== undefined && { WAYPOST_PROXY_URL: this.#proxyUrl }) };
    const worker = new Worker(new URL('thread-entry.ts', import.meta.url), { name: 'endpoints', env });
    worker.on('message', (results: Told[]) => {
      for (const { id, result } of results) {
        this.#waiting.get(id)?.(result);
        this.#waiting.delete(id);
      }
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => void this.#end(), this.#idleMs).unref();
    });
    return worker.on('error', (fault) => this.#fail(fault));
  }

  /** Calls for which there is no thread end as those for which there is no connection, and the next call begins another thread. */
  #fail(fault: unknown): void {
    if (errorCodeOf(fault) !== NO_THREAD) throw fault;
    this.#worker = undefined;
    this.#settleAll();
  }

  #settleAll(): void {
    for (const settle of this.#waiting.values()) settle(CLOSED);
    this.#waiting.clear();
  }
}

const CLOSED = unanswered('closed');

function busyMsOf(worker: Worker | undefined): number {
  return worker?.performance.eventLoopUtilization().active ?? 0;
}
