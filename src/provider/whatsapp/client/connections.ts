import { Client } from 'undici';
import { createRoom } from '../../../kernel/room.ts';
import { createConnector } from './connector.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * An idle connection is left before the provider would close it, because a request that meets the closing may or may
 * not be read. A `Keep-Alive: timeout=` hint of the provider wins, less its safety margin and up to the longest time.
 */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MARGIN_MS = 2_000;
const KEEP_ALIVE_MAX_MS = 60_000;

/**
 * More callers than this waiting for a connection are a flood; each holds its message in memory. One account alone leaves an eighth of the
 * places: with all of them taken, each message of the others that does not find a free connection would fail at once.
 */
const WAITING_LIMITS = { placesMax: 10_000, ofAccountMax: Number.POSITIVE_INFINITY };

/**
 * One of so many connections is kept for accounts that hold none, so that the first message of an account finds one free
 * although all others' calls hang.
 */
const KEPT_ONE_OF = 8;

export interface ConnectionsOptions {
  origin: string;
  /** The HTTP proxy through which it is reached. */
  proxyUrl?: string | undefined;
  connections: number;
  /** How long one call may take, and so how long one without a deadline waits at most for another one's connection. */
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
  readonly #waiting = new FairQueue<Client>();
  readonly #waitingRoom = createRoom(WAITING_LIMITS);
  /** How many are kept for accounts that hold none. */
  readonly #kept: number;
  /** How many connections each account holds that holds any. */
  readonly #held = new Map<string, number>();
  #made = 0;
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#kept = Math.floor(options.connections / KEPT_ONE_OF);
  }

  /** A free client, at once; undefined if there is none for this account. Whoever has one gives it back by `release`. */
  take(accountId: string): Client | undefined {
    if (this.#closed || this.#heldBy(accountId) >= this.#heldMax()) return undefined;
    const client = this.#idle.pop() ?? (this.#made === this.#options.connections ? undefined : this.#make());
    if (client !== undefined) this.#hold(accountId);
    return client;
  }

  /**
   * A client that becomes free, first for the account that holds fewest; undefined if the deadline or the wait's own limit came
   * first, or if waiting is pointless. A message may wait until its deadline: to give up sooner would fail what could
   * still go.
   */
  wait(accountId: string, deadline: AbortSignal | undefined): Promise<Client | undefined> {
    // A signal that has aborted does not tell again, and nothing else would end the wait.
    if (this.#closed || deadline?.aborted === true || this.#waitingRoom.enter(accountId) !== 'entered')
      return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (client: Client | undefined): void => {
        this.#waiting.delete(accountId, settle);
        this.#waitingRoom.leave(accountId);
        clearTimeout(timer);
        deadline?.removeEventListener('abort', stop);
        if (client !== undefined) this.#hold(accountId);
        resolve(client);
      };
      const stop = (): void => settle(undefined);
      const timer = deadline === undefined ? setTimeout(stop, this.#options.timeoutMs) : undefined;
      deadline?.addEventListener('abort', stop);
      this.#waiting.add(accountId, settle);
    });
  }

  release(accountId: string, client: Client): void {
    const held = this.#heldBy(accountId);
    if (held <= 1) this.#held.delete(accountId);
    else this.#held.set(accountId, held - 1);
    if (this.#waiting.size === 0) this.#free(client);
    // undici is still handling the answer. It would write a request that it gets now before it reads on from the socket, where a close,
    // or a second answer, may have come with the first: the request would be in doubt, or be given that second answer.
    else setImmediate(() => this.#free(client));
  }

  #free(client: Client): void {
    if (this.#closed) {
      void client.destroy();
      return;
    }
    this.#idle.push(client);
    this.#serve();
  }

  /** Gives what is free to those who wait: most of the time one client to one of them. */
  #serve(): void {
    while (this.#idle.length > 0) {
      const next = this.#waiting.next(this.#heldBy, this.#heldMax());
      if (next === undefined) return;
      next(this.#idle.pop());
    }
  }

  readonly #heldBy = (accountId: string): number => this.#held.get(accountId) ?? 0;

  /** An account that holds so many gets no other one now. */
  #heldMax(): number {
    const free = this.#idle.length + this.#options.connections - this.#made;
    return free > this.#kept ? Number.POSITIVE_INFINITY : 1;
  }

  #hold(accountId: string): void {
    this.#held.set(accountId, this.#heldBy(accountId) + 1);
  }

  /** Closes the idle connections now and the others as they become free. Whoever waits gets none. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const settle of this.#waiting.drain()) settle(undefined);
    await Promise.all(this.#idle.splice(0).map((client) => client.destroy()));
  }

  #make(): Client {
    this.#made += 1;
    const { origin, answerBytesMax } = this.#options;
    return new Client(origin, {
      // undici repeats nothing on its own as long as requests are not pipelined.
      pipelining: 1,
      allowH2: false,
      connect: createConnector(this.#options),
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
