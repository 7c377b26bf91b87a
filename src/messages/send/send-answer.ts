import type { Logger } from 'pino';
import type { SteadyClock } from '../../kernel/clock.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import { describeClosedWindow } from '../../people/window.ts';
import { findWindows } from '../../people/window-store.ts';
import type { Database } from '../../store/database.ts';
import { type AggregateAnswer, composeAnswer, type EntrySource } from '../answer.ts';
import type { NewRequest } from '../commit/begin-store.ts';
import { findSettled, type SettledElsewhere } from '../commit/under-way-store.ts';
import { personOf } from '../message.ts';
import type { Known } from './settlements.ts';
import { tellFault } from './tell-fault.ts';

export interface AnswerDeps {
  database: Database;
  log: Logger;
  clock: SteadyClock;
  docsUrl(): string;
}

/** Adds what we know of the window to every refusal for it, so that a person sees why, if the store tells that in time. */
export async function explainClosedWindows(
  deps: AnswerDeps,
  { accountId, mode, channelId }: NewRequest,
  known: readonly Known[],
  untilMs: number,
): Promise<readonly Known[]> {
  const closed = known.filter(({ outcome }) => outcome.error?.code === 'window_closed');
  if (closed.length === 0) return known;
  const people = closed.map(({ message }) => personOf(message));
  const windows = await ifTold(deps, untilMs, findWindows(deps.database, { accountId, mode, channelId }, people));
  if (windows === undefined) return known;
  return known.map((one) => {
    const { message, outcome } = one;
    if (outcome.error?.code !== 'window_closed') return one;
    const detail = describeClosedWindow(windows.get(personOf(message)));
    return { message, outcome: { ...outcome, error: { ...outcome.error, detail } } };
  });
}

/** Makes the answer. An entry is `accepted`, or `failed`, as soon as the provider's answer or a notification proves it. */
export async function answerOf(
  deps: AnswerDeps,
  request: NewRequest,
  known: readonly Known[],
  answerByMs: number,
): Promise<AggregateAnswer> {
  const unsure = known.filter(isUnsure).map(({ message }) => message.id);
  // Without the store nothing is proven, and `unknown` is the honest answer.
  const found =
    unsure.length === 0 ? [] : await ifTold(deps, answerByMs, findSettled(deps.database, request.accountId, unsure));
  const proven = new Map((found ?? []).map((row) => [row.id, row]));
  const messages = known.map((one) => sourceOf(one, proven.get(one.message.id)));
  const { id: requestId, accountId, clientReference, content, refused } = request;
  return composeAnswer(
    { requestId, accountId, clientReference, type: content.type, messages, refused },
    deps.docsUrl(),
  );
}

/** Whether a notification may know better: a message that the provider has refused may have been taken all the same. */
function isUnsure({ message, outcome }: Known): boolean {
  if (outcome.status === 'unknown') return true;
  return outcome.status === 'failed' && message.error === null && outcome.error?.code !== 'not_attempted';
}

function sourceOf({ message, outcome }: Known, found: SettledElsewhere | undefined): EntrySource {
  // For a refused message only the proof of the opposite is news: what was found may be its own refusal, stored by now.
  const proof = outcome.status === 'failed' && found?.status === 'failed' ? undefined : found;
  const proven = proof === undefined ? undefined : proof.status === 'failed' ? 'failed' : 'accepted';
  return {
    ...message,
    status: proven ?? outcome.status,
    provider_message_id: proof?.provider_message_id ?? outcome.providerMessageId,
    held: outcome.held,
    error: proof === undefined ? outcome.error : proof.error,
  };
}

/** What the store tells in time, or undefined: the outcomes are known without it, and the answer only gets better by it. */
async function ifTold<Value>(
  { clock, log }: AnswerDeps,
  untilMs: number,
  asked: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await withinMs<Value | undefined>(asked, Math.max(0, untilMs - clock.steadyMs()), () => undefined);
  } catch (error) {
    tellFault(log, error);
    return undefined;
  }
}
