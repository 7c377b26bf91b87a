import type { AfterWait, Sender } from '../../port.ts';
import { Connections } from './connections.ts';
import { type ExchangeOutcome, type ExchangeRequest, exchange } from './exchange.ts';

export interface LineOptions {
  url: string;
  version: string;
  proxyUrl?: string | undefined;
  timeoutMs: number;
  connections: number;
  answerBytesMax: number;
}

/** A call of the provider: `path` begins below the version, with a slash. */
export type LineRequest = Pick<ExchangeRequest, 'method' | 'path'> & {
  sender: Sender;
  /** Called once there is a connection: thousands may wait for one, and each body may be a mebibyte. It never throws. */
  makeBody?(): string | Buffer;
  deadline?: AbortSignal | undefined;
  afterWait?: AfterWait | undefined;
};

/** One address, the provider's or the sandbox's, with the connections to it. */
export class Line {
  readonly #connections: Connections;
  readonly #pathBefore: string;
  readonly #timeoutMs: number;

  constructor({ url, version, ...limits }: LineOptions) {
    const { origin, pathname } = new URL(url);
    this.#connections = new Connections({ origin, ...limits });
    this.#pathBefore = `${pathname.replace(/\/+$/, '')}/${encodeURIComponent(version)}`;
    this.#timeoutMs = limits.timeoutMs;
  }

  /**
   * Makes one call, once. It is `not_begun` if no connection became free before the deadline, or if what it was made for has
   * changed meanwhile.
   */
  async call({ sender, method, path: ownPath, makeBody, deadline, afterWait }: LineRequest): Promise<ExchangeOutcome> {
    const connections = this.#connections;
    const { accountId } = sender;
    let now: Sender | undefined = sender;
    let client = connections.take(accountId);
    if (client === undefined) {
      client = await connections.wait(accountId, deadline);
      if (client === undefined) return { kind: 'not_begun' };
      if (afterWait !== undefined) now = await afterWait();
    }
    if (now === undefined || deadline?.aborted === true) {
      connections.release(accountId, client);
      return { kind: 'not_begun' };
    }
    const { accessToken } = now;
    const path = this.#pathBefore + ownPath;
    const request = { method, path, body: makeBody?.(), accessToken, timeoutMs: this.#timeoutMs, deadline };
    return exchange(client, request, () => connections.release(accountId, client));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
