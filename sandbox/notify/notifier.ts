import { Schedule } from '../schedule.ts';
import type { Callbacks } from './callbacks.ts';
import { Queue } from './queue.ts';
import { type Signed, sign } from './sign.ts';

/** How many notifications are posted at once. The provider also posts several at once, and a slow callback must not be flooded. */
export const IN_FLIGHT_MAX = 64;
/** How many notifications wait in memory for a callback that is away. Under full load they take some 500 MB at most. */
const WAITING_MAX = 100_000;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 5 * 60_000;
/** The provider tries for up to 7 days. https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/** What a caller may wait for. */
export interface Posted {
  /** The status of the first try; `undefined` without an answer. */
  tried: Promise<number | undefined>;
  /** Resolves when any try is answered with 200. Stays pending if none is. */
  acknowledged: Promise<void>;
}

interface Waiting extends Signed {
  number: number;
  madeAtMs: number;
  pauseMs: number;
  tried: (status: number | undefined) => void;
  acknowledged: () => void;
  callOff: () => void;
}

interface Options {
  appSecret: string;
  callbacks: Callbacks;
  timeScale: number;
  log: (sentence: string) => void;
  waitingMax?: number;
}

/** Signs notifications and posts them until the callback answers 200, at growing intervals. */
export class Notifier {
  readonly #options: Options;
  readonly #waitingMax: number;
  readonly #ready = new Queue<Waiting>();
  #waiting = new Map<number, Waiting>();
  /** Walks over the waiting notifications from the oldest to the newest, also while some of them are removed. */
  #oldest = this.#waiting.values();
  #schedule: Schedule;
  #made = 0;
  #inFlight = 0;
  #lost = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#waitingMax = options.waitingMax ?? WAITING_MAX;
    this.#schedule = new Schedule(options.timeScale);
  }

  /** How many wait for their first or next try, and how many were given up since the start. */
  get counts(): { waiting: number; lost: number } {
    return { waiting: this.#waiting.size, lost: this.#lost };
  }

  /** Posts a notification, at once or as soon as there is room, and repeats it until it is acknowledged. */
  post(notification: unknown): Posted {
    const tried = Promise.withResolvers<number | undefined>();
    const acknowledged = Promise.withResolvers<void>();
    const waiting: Waiting = {
      ...sign(JSON.stringify(notification), this.#options.appSecret),
      number: ++this.#made,
      madeAtMs: performance.now(),
      pauseMs: FIRST_PAUSE_MS,
      tried: tried.resolve,
      acknowledged: acknowledged.resolve,
      callOff: () => {},
    };
    this.#waiting.set(waiting.number, waiting);
    if (this.#waiting.size > this.#waitingMax) this.#dropOldest();
    this.#ready.push(waiting);
    this.#startReady();
    return { tried: tried.promise, acknowledged: acknowledged.promise };
  }

  /** Signs this JSON as it is, posts it once and returns the callback's status. */
  postOnce(json: string): Promise<number | undefined> {
    return this.#options.callbacks.post(sign(json, this.#options.appSecret));
  }

  /** Forgets everything that waits, and lets nobody wait for it. What is in flight goes on. */
  clear(): void {
    for (const { tried } of this.#ready.toArray()) tried(undefined);
    this.#schedule.clear();
    this.#schedule = new Schedule(this.#options.timeScale);
    this.#ready.clear();
    this.#waiting = new Map();
    this.#oldest = this.#waiting.values();
  }

  #startReady(): void {
    while (this.#inFlight < IN_FLIGHT_MAX) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      if (this.#waiting.has(next.number)) void this.#try(next);
    }
  }

  async #try(waiting: Waiting): Promise<void> {
    this.#inFlight += 1;
    const status = await this.#options.callbacks.post(waiting);
    this.#inFlight -= 1;
    if (status === 200) {
      this.#waiting.delete(waiting.number);
      waiting.acknowledged();
    } else if (this.#waiting.has(waiting.number)) {
      this.#tryLater(waiting);
    }
    waiting.tried(status);
    this.#startReady();
  }

  #tryLater(waiting: Waiting): void {
    if (performance.now() - waiting.madeAtMs > KEPT_MS) {
      this.#lose(waiting, 'was not acknowledged within 7 days');
      return;
    }
    waiting.callOff = this.#schedule.after(waiting.pauseMs, () => {
      this.#ready.push(waiting);
      this.#startReady();
    });
    waiting.pauseMs = Math.min(waiting.pauseMs * 2, PAUSE_MAX_MS);
  }

  #dropOldest(): void {
    const { value } = this.#oldest.next();
    if (value !== undefined) this.#lose(value, `was dropped because more than ${this.#waitingMax} wait`);
  }

  #lose(waiting: Waiting, why: string): void {
    waiting.callOff();
    waiting.tried(undefined);
    this.#waiting.delete(waiting.number);
    this.#lost += 1;
    // Notifications that were dropped before their turn still stand in the queue. They are removed many at a time, so that dropping stays
    // cheap.
    if (this.#ready.size > this.#waitingMax * 2) this.#ready.keep(({ number }) => this.#waiting.has(number));
    if (this.#lost === 1) this.#options.log(`A notification ${why}. Later ones are only counted.`);
  }
}
