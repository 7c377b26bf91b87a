import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inOneMessage } from './one-message.ts';
import { type PostResult, unanswered } from './post.ts';
import type { Poster } from './poster.ts';
import type { Order, Told } from './thread-messages.ts';

/**
 * Calls in a thread of its own, which begins with the first call and takes some 40 MB. An endpoint can make a handshake of TLS so
 * dear that the thread does nothing else for a third of a second, at each attempt
 * (docs/decisions/0029-tls-of-endpoints-has-a-thread.md). A fault of ours there is thrown here, where nobody catches it.
 */
export class PosterThread implements Poster {
  readonly #waiting = new Map<number, (result: PostResult) => void>();
  #worker: Worker | undefined;
  #closed = false;
  #lastId = 0;
  readonly #order = inOneMessage<Order>((orders) => this.#tell(orders));

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
    await this.#worker?.terminate();
    for (const settle of this.#waiting.values()) settle(CLOSED);
    this.#waiting.clear();
  }

  /** How long it has worked so far. */
  busySeconds(): number {
    return (this.#worker?.performance.eventLoopUtilization().active ?? 0) / 1_000;
  }

  #tell(orders: Order[]): void {
    if (this.#closed) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(orders);
  }

  #start(): Worker {
    const cacheDir = getCompileCacheDir();
    // It needs no other setting. Without what is compiled already it would take half as much memory again.
    const env = cacheDir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cacheDir) };
    const worker = new Worker(new URL('thread-entry.ts', import.meta.url), { name: 'endpoints', env });
    worker.on('message', (results: Told[]) => {
      for (const { id, result } of results) {
        this.#waiting.get(id)?.(result);
        this.#waiting.delete(id);
      }
    });
    return worker.on('error', (fault) => {
      throw fault;
    });
  }
}

const CLOSED = unanswered('closed');
