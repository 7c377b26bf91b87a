import { setTimeout as wait } from 'node:timers/promises';
import type { SendAnswer, SendRecord } from '../balance/books.ts';
import type { Plan, PlannedSend } from '../plan.ts';
import { createDraw, type Draw } from '../random.ts';
import type { RunAccount } from './accounts.ts';

/** After this a caller hangs up and repeats its request. */
const CALL_TIMEOUT_MS = 4_000;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 600;
/** A key whose first request is in doubt is free again after 40 s at most. A slow machine may take longer. */
const ANSWERED_WITHIN_MS = 150_000;

interface Callers {
  nextGateway(): string | undefined;
  /** The gateways that ended by themselves. Once there is one, the run has failed, and nobody need wait for an answer. */
  deaths(): string[];
  accounts: Record<'test' | 'live', RunAccount>;
}

/** Makes every send of the plan at its time. Each caller repeats its request with its key until it is answered 200. */
export async function sendAll(callers: Callers, { seed, sends }: Plan): Promise<SendRecord[]> {
  return Promise.all(
    sends.map(async (send) => {
      const record: SendRecord = { key: send.key, answers: [] };
      await wait(send.atMs);
      await repeatUntilAnswered(callers, send, record, createDraw(seed, send.key));
      return record;
    }),
  );
}

/** Repeats every key once more, as a caller does whose answer was lost. */
export async function repeatAll(
  callers: Callers,
  { sends, seed }: Plan,
  records: readonly SendRecord[],
): Promise<void> {
  for (const [place, send] of sends.entries()) {
    const record = records[place];
    if (record !== undefined) await repeatUntilAnswered(callers, send, record, createDraw(seed, send.key));
  }
}

async function repeatUntilAnswered(callers: Callers, send: PlannedSend, record: SendRecord, draw: Draw): Promise<void> {
  const endMs = performance.now() + ANSWERED_WITHIN_MS;
  while (performance.now() < endMs && callers.deaths().length === 0) {
    const answer = await callOnce(callers, send);
    if (answer !== undefined) return void record.answers.push(answer);
    await wait(draw.between(PAUSE_MIN_MS, PAUSE_MAX_MS));
  }
}

/** undefined if there was no answer, or one that asks to come again. */
async function callOnce({ nextGateway, accounts }: Callers, send: PlannedSend): Promise<SendAnswer | undefined> {
  const gateway = nextGateway();
  if (gateway === undefined) return undefined;
  const authorization = `Bearer ${accounts[send.mode].key}`;
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': send.key };
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  try {
    const answer = await fetch(`${gateway}/api/v1/messages/send`, { method: 'POST', headers, body: send.body, signal });
    const text = await answer.text();
    if (answer.status === 200) return { text, replayed: answer.headers.get('idempotent-replayed') === 'true' };
    if (![409, 500, 503].includes(answer.status)) throw new Refused(answer.status, text);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) throw error;
    return undefined; // The connection broke or took too long. The caller repeats the send with its key.
  }
}

/** An answer that no fault of the run can excuse. */
class Refused extends Error {
  constructor(status: number, text: string) {
    super(`A send was answered ${status}: ${text}`);
  }
}
