import { Agent } from 'undici';
import type { Signed } from './sign.ts';

/** How many gateways on one sandbox are known at most. Beyond that, the callback that was registered longest ago is forgotten. */
const CALLBACKS_MAX = 16;
/** A callback that takes longer than this counts as failed. */
const ANSWER_WAIT_MS = 20_000;
const CONNECT_WAIT_MS = 5_000;

interface Callback {
  url: string;
  origin: string;
  path: string;
}

/** Where notifications are posted: the callback registered last, or the next one that can be connected to. */
export class Callbacks {
  #known: Callback[] = [];
  readonly #agent: Agent;

  constructor(urls: readonly string[], connections: number) {
    const connect = { timeout: CONNECT_WAIT_MS };
    this.#agent = new Agent({ connections, connect, headersTimeout: ANSWER_WAIT_MS, bodyTimeout: ANSWER_WAIT_MS });
    for (const url of [...urls].reverse()) this.add(url);
  }

  /** Puts a callback in front of the others. */
  add(url: string): void {
    this.#known = this.#known.filter((callback) => callback.url !== url);
    const { origin, pathname, search } = new URL(url);
    this.#known.unshift({ url, origin, path: pathname + search });
    this.#known.length = Math.min(this.#known.length, CALLBACKS_MAX);
  }

  has(url: string): boolean {
    return this.#known.some((callback) => callback.url === url);
  }

  /** Posts once and returns the HTTP status; `undefined` if there was no answer, or nobody to post to. Never rejects. */
  async post(notification: Signed): Promise<number | undefined> {
    for (const callback of this.#known) {
      const outcome = await this.#postTo(callback, notification);
      if (outcome !== 'refused') return outcome;
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #postTo(callback: Callback, { body, signature }: Signed): Promise<number | 'refused' | undefined> {
    try {
      const answer = await this.#agent.request({
        origin: callback.origin,
        path: callback.path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': signature,
        },
        body,
      });
      await answer.body.dump();
      return answer.statusCode;
    } catch (error) {
      // Whatever goes wrong at a callback has the same consequence: the notification is posted again, there or elsewhere.
      return isConnectionRefused(error) ? 'refused' : undefined;
    }
  }
}

function isConnectionRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}
