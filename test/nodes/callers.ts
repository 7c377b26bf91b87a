import { setTimeout as wait } from 'node:timers/promises';
import type { SentEntry } from '../support/call-gateway.ts';

/** A call that has no answer in this time is repeated, which its key makes safe. It is above the deadline of a send. */
const CALL_TIMEOUT_MS = 30_000;
/** Nothing may keep a caller waiting for its answer for longer. */
const GIVE_UP_MS = 90_000;
const PAUSE_MS = 100;

/** A send that was completed. */
export interface Sent {
  key: string;
  to: string[];
  requestId: string;
  results: SentEntry[];
  /** The time from the first call to the final answer. */
  tookMs: number;
  endedMs: number;
  /** How the calls before the final one were answered: `503`, `409`, `502`, `broken`. */
  repeated: string[];
}

export interface Callers {
  /** Begins no more sends. Resolves with all sends when those under way are answered. */
  stop(): Promise<Sent[]>;
  /** Gives up at once, for a test that ends early. */
  halt(): void;
  /** The sends that are answered so far. */
  sent: Sent[];
}

interface Wish {
  url: string;
  apiKey: string;
  callers: number;
  /** The recipients of a caller's next request. */
  recipients(place: number): string[];
  /** How long a caller rests between two sends. */
  pauseMs?: number;
  callTimeoutMs?: number;
}

/**
 * Callers that make one send after another. They repeat a send as the API says: the same bytes under the same key, after the time in
 * `Retry-After`, until the answer is 200.
 */
export function startCallers({ callers, recipients, pauseMs = 0, ...target }: Wish): Callers {
  let stopped = false;
  const halted = new AbortController();
  let place = 0;
  const sent: Sent[] = [];
  const call = async () => {
    while (!stopped) {
      const key = `request-${place}`;
      sent.push(await sendUntilAnswered({ ...target, halted: halted.signal }, key, recipients(place++)));
      await wait(pauseMs);
    }
  };
  const running = Array.from({ length: callers }, call);
  // `stop` reports their failures. A test that fails before it has an error of its own.
  for (const caller of running) caller.catch(() => undefined);
  return {
    sent,
    async stop() {
      stopped = true;
      await Promise.all(running);
      return sent;
    },
    halt() {
      stopped = true;
      halted.abort();
    },
  };
}

type Target = Pick<Wish, 'url' | 'apiKey' | 'callTimeoutMs'> & { halted: AbortSignal };

async function sendUntilAnswered(target: Target, key: string, to: string[]): Promise<Sent> {
  const body = JSON.stringify({ to, type: 'text', text: { body: 'Your parcel is here' } });
  const repeated: string[] = [];
  const begunMs = Date.now();
  while (Date.now() - begunMs < GIVE_UP_MS && !target.halted.aborted) {
    const answer = await callOnce(target, key, body);
    if (answer?.status === 200) {
      const { request_id: requestId, results } = JSON.parse(answer.text);
      const endedMs = Date.now();
      return { key, to, requestId, results, tookMs: endedMs - begunMs, endedMs, repeated };
    }
    if (answer !== undefined && ![409, 502, 503].includes(answer.status))
      throw new Error(`A send was answered with ${answer.status}: ${answer.text}`);
    repeated.push(answer === undefined ? 'broken' : String(answer.status));
    await wait(answer?.retryAfterMs ?? PAUSE_MS);
  }
  throw new Error(
    `No answer to ${key} within ${GIVE_UP_MS} ms, but ${repeated.length} times ${[...new Set(repeated)]}`,
  );
}

async function callOnce({ url, apiKey, callTimeoutMs = CALL_TIMEOUT_MS }: Target, key: string, body: string) {
  try {
    const answer = await fetch(`${url}/api/v1/messages/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
      body,
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    const retryAfterSeconds = answer.headers.get('retry-after');
    const retryAfterMs = retryAfterSeconds === null ? undefined : Number(retryAfterSeconds) * 1_000;
    return { status: answer.status, text: await answer.text(), retryAfterMs };
  } catch {
    return undefined; // The connection broke or the time was over. The call is repeated under its key.
  }
}
