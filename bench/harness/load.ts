import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

/** One side of a comparison, as the load sees it. */
export interface Target {
  origin: string;
  path: string;
  /** The `Authorization` of each account that takes part. They are used in turn. */
  authorizations: string[];
  /** Throws unless the answer says that it was sent to all these recipients. */
  check(answer: unknown, recipients: number, authorization: string): void;
}

export interface Load {
  requests: number;
  seconds: number;
  latenciesMs: number[];
}

/** Load by so many callers, each of which sends its next request as soon as its last one is answered. */
export async function closedLoad(
  target: Target,
  recipients: number,
  callers: number,
  durationMs: number,
): Promise<Load> {
  const sender = createSender(target, recipients, callers);
  const startMs = performance.now();
  const call = async () => {
    while (performance.now() - startMs < durationMs) await sender.send();
  };
  await Promise.all(Array.from({ length: callers }, call));
  return sender.finish(startMs);
}

/** Load of so many requests a second at an even pace, whether or not the earlier ones are answered. */
export async function steadyLoad(target: Target, perSecond: number, durationMs: number): Promise<Load> {
  const sender = createSender(target, 1, CONNECTIONS_STEADY);
  const startMs = performance.now();
  const sent: Promise<void>[] = [];
  for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs = performance.now() - startMs) {
    while (sent.length < (elapsedMs * perSecond) / 1_000) sent.push(sender.send());
    await wait(1);
  }
  await Promise.all(sent);
  return sender.finish(startMs);
}

/** So many that a request never waits for a connection while the server keeps up. */
const CONNECTIONS_STEADY = 256;

/** Numbers are used in turn, so that nobody is written to often enough to reach the limit for a pair of numbers. */
let nextNumber = 0;

function createSender(target: Target, recipients: number, connections: number) {
  const { origin, path, authorizations } = target;
  const pool = new Pool(origin, { connections });
  const latenciesMs: number[] = [];
  let begun = 0;
  return {
    async send(): Promise<void> {
      const body = bodyFor(recipients);
      // The turn goes by the requests that were begun and not by those that are done: otherwise, while answers are awaited, all would go to
      // one channel, and wait for its turns.
      const authorization = authorizations[begun++ % authorizations.length] ?? '';
      const startMs = performance.now();
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await pool.request({ method: 'POST', path, headers, body });
      const text = await answer.body.text();
      latenciesMs.push(performance.now() - startMs);
      if (answer.statusCode !== 200) throw new Error(`${origin} answered ${answer.statusCode}: ${text}`);
      target.check(JSON.parse(text), recipients, authorization);
    },
    async finish(startMs: number): Promise<Load> {
      const seconds = (performance.now() - startMs) / 1_000;
      await pool.close();
      return { requests: latenciesMs.length, seconds, latenciesMs };
    },
  };
}

function bodyFor(recipients: number): string {
  const numbers = Array.from({ length: recipients }, () => {
    nextNumber = (nextNumber + 1) % 10_000_000;
    return `+1555${String(nextNumber).padStart(7, '0')}`;
  });
  const to = recipients === 1 ? numbers[0] : numbers;
  return JSON.stringify({
    to,
    type: 'text',
    text: { body: 'Your parcel is here. It waits for you at the usual place.' },
  });
}
