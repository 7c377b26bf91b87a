import { Client } from 'undici';

/** A provider that does not accept a connection within this time counts as unreachable. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * An idle connection is left before the provider would close it, because a request that meets the closing may or may
 * not be read. A `Keep-Alive: timeout=` hint of the provider wins, less its safety margin and up to the longest time.
 */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MARGIN_MS = 2_000;
const KEEP_ALIVE_MAX_MS = 60_000;

/** More callers than this waiting for a connection are a flood; each holds its message in memory. */
const WAITING_MAX = 10_000;

export interface ConnectionsOptions {
  origin: string;
  connections: number;
  /** How long one transmit may take, and so how long to wait at most for another one's connection. */
  timeoutMs: number;
  answerBytesMax: number;
}

/**
 * The keep-alive connections to one address: that many undici clients of one connection each, made as they are needed.
 * One transmit has a client for itself, so that one broken connection touches one message only. undici's own `Pool`
 * costs the same a call (17 µs with either, measured), but its queue has no bound, and what waits in it cannot be taken
 * back without breaking a good connection.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** The last one used is the next one used: the others may then grow old and close. */
  readonly #idle: Client[] = [];
  /** In the order of their coming. Called with a client, or with undefined if there will be none. */
  readonly #waiting = new Set<(client: Client | undefined) => void>();
  #made = 0;
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** A free client, at once; undefined if all are in use. The caller gives it back by `release`. */
  take(): Client | undefined {
    if (this.#closed) return undefined;
    const idle = this.#idle.pop();
    if (idle !== undefined || this.#made === this.#options.connections) return idle;
    this.#made += 1;
    return this.#make();
  }

  /** The next client that becomes free; undefined if the turn ended, the wait was too long or is pointless. */
  wait(turn: AbortSignal | undefined): Promise<Client | undefined> {
    if (this.#closed || this.#waiting.size >= WAITING_MAX) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (client: Client | undefined): void => {
        this.#waiting.delete(settle);
        clearTimeout(timer);
        turn?.removeEventListener('abort', stop);
        resolve(client);
      };
      const stop = (): void => settle(undefined);
      const timer = setTimeout(stop, this.#options.timeoutMs);
      turn?.addEventListener('abort', stop);
      this.#waiting.add(settle);
    });
  }

  release(client: Client): void {
    const [next] = this.#waiting;
    if (this.#closed) void client.destroy();
    else if (next !== undefined) next(client);
    else this.#idle.push(client);
  }

  /** Closes the idle connections now and the others as they become free. Whoever waits gets none. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const settle of [...this.#waiting]) settle(undefined);
    await Promise.all(this.#idle.splice(0).map((client) => client.destroy()));
  }

  #make(): Client {
    const { origin, timeoutMs, answerBytesMax } = this.#options;
    return new Client(origin, {
      // undici repeats nothing on its own as long as requests are not pipelined.
      pipelining: 1,
      allowH2: false,
      connectTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      // Each exchange has one time limit of its own; undici's start anew with every chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: answerBytesMax,
    });
  }
}
