import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Channels, SendingChannel } from '../channels/channels.ts';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId } from '../kernel/ids.ts';
import type { AccountPrincipal } from '../kernel/principal.ts';
import { StoreUnavailable, unlessUnavailable } from '../kernel/store-unavailable.ts';
import { findWindows } from '../people/store.ts';
import { describeClosedWindow } from '../people/window.ts';
import type { MessageContent, Provider } from '../provider/port.ts';
import type { Database } from '../store/database.ts';
import { composeAnswer } from './answer.ts';
import { findReplay, type IdempotencyClaim } from './idempotency.ts';
import type { Ledger } from './ledger.ts';
import type { IntendedMessage, Outcome } from './message.ts';
import { planMessages } from './plan.ts';
import { type PreflightDeps, preflight } from './preflight.ts';
import { findMessages } from './read-store.ts';
import type { SendCommand } from './send-command.ts';
import { findSettled, type NewRequest, type SettledMessage } from './store.ts';
import { transmit, withoutId } from './transmit.ts';

/** What is kept of the deadline for the second commit and the way back. */
const ANSWERING_MS = 1_000;
/** A commit that takes longer than this waits for a store in trouble; the caller has no use of waiting with it. */
const COMMIT_WAIT_MS = 3_000;
/** A message that is in flight at the deadline is awaited for so long after it; its answer still settles it. */
const LATE_ANSWER_MS = 60_000;

export interface SendDeps extends PreflightDeps {
  database: Database;
  ledger: Ledger;
  channels: Channels;
  provider: Provider;
  clock: Clock;
  log: Logger;
  nodeId: string;
  docsUrl(): string;
  deadlineMs: number;
  sendsMax: number;
}

export interface SendCall {
  requestId: string;
  principal: AccountPrincipal;
  command: SendCommand;
  channel: SendingChannel;
  idempotency: IdempotencyClaim | undefined;
  traceparent: string | undefined;
  arrivedMs: number;
}

export type SendResult = { replayed: boolean; answer: string };

export interface Sends {
  /**
   * Carries a send out and answers for every recipient before the deadline. Throws `unavailable` when too much is under
   * way or the store is away, and the errors of `findReplay` when another request has just claimed the same key.
   */
  send(call: SendCall): Promise<SendResult>;
  /** Resolves when no send is under way and every late answer is settled. */
  idle(): Promise<void>;
}

export function createSends(deps: SendDeps): Sends {
  const running = new Set<Promise<unknown>>();
  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    running.add(work);
    const forget = () => running.delete(work);
    work.then(forget, forget);
    return work;
  };
  let sends = 0;

  return {
    async send(call) {
      if (sends >= deps.sendsMax)
        throw new ApiError('unavailable', 'Too many sends are under way.', { headers: { 'retry-after': '1' } });
      sends++;
      try {
        return await track(carryOut(deps, call, track));
      } finally {
        sends--;
      }
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

type Track = <Value>(work: Promise<Value>) => Promise<Value>;

async function carryOut(deps: SendDeps, call: SendCall, track: Track): Promise<SendResult> {
  const { principal, channel, idempotency } = call;
  const plan = planMessages(call.command, await preflight(deps, channel, call.command));
  const request: NewRequest = {
    accountId: principal.accountId,
    id: call.requestId,
    mode: principal.mode,
    channelId: channel.id,
    keyId: principal.keyId,
    nodeId: deps.nodeId,
    clientReference: call.command.clientReference ?? null,
    content: call.command.content,
    refused: plan.refused,
    intended: plan.intended,
    traceparent: call.traceparent ?? null,
    idempotency: idempotency ?? null,
  };
  if (!(await deps.ledger.begin(request))) return replayOfOther(deps, request);
  const { outcomes: seen, late } = await transmitAll(deps, call, request, track);
  const outcomes = await explainClosedWindows(deps, channel, request, seen);
  const answer = JSON.stringify(await answerOf(deps, request, outcomes));
  const replay = idempotency === undefined ? null : { mode: request.mode, key: idempotency.key, answer };
  const completed = { accountId: request.accountId, id: request.id, replay };
  const committed = deps.ledger.settle({ settled: settledOf(request, outcomes), completed });
  for (const one of late) void track(settleLate(deps, request, one, committed));
  await waitBriefly(deps, call, committed);
  return { replayed: false, answer };
}

/** Adds what we know of the window to every refusal for it, so that a person sees why. */
async function explainClosedWindows(
  { database }: SendDeps,
  channel: SendingChannel,
  { intended }: NewRequest,
  outcomes: Outcome[],
): Promise<Outcome[]> {
  const closed = intended.filter((_, place) => outcomes[place]?.error?.code === 'window_closed');
  if (closed.length === 0) return outcomes;
  const people = closed.map(({ phone, user_id: userId }) => phone ?? userId ?? '');
  const windows = await unlessUnavailable(findWindows(database, channel.accountId, channel.id, people));
  if (windows === undefined) return outcomes;
  return outcomes.map((outcome, place) => {
    const message = intended[place];
    if (outcome.error?.code !== 'window_closed' || message === undefined) return outcome;
    const detail = describeClosedWindow(windows.get(message.phone ?? message.user_id ?? ''));
    return { ...outcome, error: { ...outcome.error, detail } };
  });
}

/** Another request claimed the key between our look-up and our commit: it is answered as if it had been seen before. */
async function replayOfOther(deps: SendDeps, { accountId, mode, idempotency }: NewRequest): Promise<SendResult> {
  const answer = idempotency === null ? undefined : await findReplay(deps.database, accountId, mode, idempotency);
  if (answer !== undefined) return { replayed: true, answer };
  // The other one was taken back in this very moment.
  throw new ApiError('unavailable', 'Please repeat the request.', { headers: { 'retry-after': '1' } });
}

/** A message that was in flight at the deadline. */
interface LateMessage {
  message: IntendedMessage;
  outcome: Promise<Outcome>;
}

/** All messages at once; whatever is not settled at the deadline is `unknown` in the answer and settled later. */
async function transmitAll(
  deps: SendDeps,
  call: SendCall,
  request: NewRequest,
  track: Track,
): Promise<{ outcomes: Outcome[]; late: LateMessage[] }> {
  const deadlineMs = call.arrivedMs + deps.deadlineMs - Math.min(ANSWERING_MS, deps.deadlineMs / 4);
  const turn = new AbortController();
  const leftMs = deadlineMs - deps.clock.nowMs();
  // The first commit may have taken all the time there was: then nothing is begun.
  if (leftMs <= 0) turn.abort();
  const timer = setTimeout(() => turn.abort(), leftMs);
  const deadline = new Promise<'deadline'>((resolve) => {
    // One turn of the event loop later, so that messages whose turn never came are told apart from those in flight.
    turn.signal.addEventListener('abort', () => setImmediate(() => setImmediate(() => resolve('deadline'))));
  });
  const late: LateMessage[] = [];
  try {
    const outcomes = await Promise.all(
      request.intended.map(async (message) => {
        const outcome = outcomeOf(deps, call, message, turn.signal, deadlineMs, track);
        const first = await Promise.race([outcome, deadline]);
        if (first !== 'deadline') return first;
        late.push({ message, outcome });
        return withoutId('unknown', { code: 'outcome_unknown', detail: IN_FLIGHT }, new Date(deps.clock.nowMs()));
      }),
    );
    return { outcomes, late };
  } finally {
    clearTimeout(timer);
  }
}

const IN_FLIGHT = 'The provider had not answered at the deadline';

async function outcomeOf(
  deps: SendDeps,
  { principal, channel, command }: SendCall,
  message: IntendedMessage,
  turn: AbortSignal,
  deadlineMs: number,
  track: Track,
): Promise<Outcome> {
  if (message.error !== null) return withoutId('failed', message.error, new Date(deps.clock.nowMs()));
  if (turn.aborted) return withoutId('failed', { code: 'not_attempted' }, new Date(deps.clock.nowMs()));
  return transmit(deps, {
    sender: channel.sender,
    message: {
      id: formatId('msg', message.id),
      recipient: message.phone === null ? { userId: message.user_id ?? '' } : { phone: message.phone },
      content: contentFor(command.content, message),
    },
    turn,
    deadlineMs,
    settledMeanwhile: () => isSettled(deps, principal, message.id),
    onAccessRefused: () => void track(suspend(deps, channel)),
  });
}

function contentFor(content: MessageContent, { components }: IntendedMessage): MessageContent {
  if (content.type === 'text' || components === null) return content;
  return { type: 'template', template: { ...content.template, components } };
}

/** By a notification; or by another node, if this one was paused for so long that it was taken for gone. */
async function isSettled(
  deps: SendDeps,
  { accountId, mode }: AccountPrincipal,
  messageId: string,
): Promise<'yes' | 'no' | 'cannot_tell'> {
  try {
    const [row] = await findMessages(deps.database, accountId, mode, [messageId]);
    return row?.status === 'transmitting' ? 'no' : 'yes';
  } catch (error) {
    if (error instanceof StoreUnavailable) return 'cannot_tell';
    throw error;
  }
}

async function suspend(deps: SendDeps, channel: SendingChannel): Promise<void> {
  try {
    await deps.channels.suspend(channel);
    deps.log.warn({ channel_id: formatId('chn', channel.id) }, 'channel.suspended');
  } catch (error) {
    // The next message of the channel is refused as well and suspends it then.
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}

/** After the `unknown` is committed: one statement cannot write two outcomes of a message. */
async function settleLate(
  deps: SendDeps,
  request: NewRequest,
  { message, outcome }: LateMessage,
  committed: Promise<void>,
): Promise<void> {
  const giveUp = new AbortController();
  const late = await Promise.race([outcome, wait(LATE_ANSWER_MS, undefined, { signal: giveUp.signal, ref: false })]);
  giveUp.abort();
  if (late === undefined || late.status === 'unknown') return;
  await committed;
  await deps.ledger.settle({ settled: settledOf(request, [late], [message]), completed: null });
}

function settledOf(request: NewRequest, outcomes: Outcome[], messages = request.intended): SettledMessage[] {
  const { accountId, id: requestId, channelId, mode, content } = request;
  return messages.flatMap((message, place) => {
    const outcome = outcomes[place];
    return outcome === undefined
      ? []
      : [{ accountId, requestId, channelId, mode, type: content.type, message, outcome }];
  });
}

/** An entry is `accepted` as soon as the provider's answer or a notification proves it. */
async function answerOf(deps: SendDeps, request: NewRequest, outcomes: Outcome[]) {
  const unsure = request.intended.filter((_, place) => outcomes[place]?.status === 'unknown').map(({ id }) => id);
  // Without the store nothing is proven, and `unknown` is the honest answer.
  const found =
    unsure.length === 0 ? [] : await unlessUnavailable(findSettled(deps.database, request.accountId, unsure));
  const proven = new Map((found ?? []).map((row) => [row.id, row]));
  const messages = request.intended.map((message, place) => {
    const outcome = outcomes[place];
    if (outcome === undefined) throw new Error('Every intended message has an outcome');
    const proof = proven.get(message.id);
    const accepted = proof !== undefined && proof.status !== 'failed';
    return {
      ...message,
      user_id: message.user_id ?? outcome.userId,
      status: accepted ? ('accepted' as const) : outcome.status,
      provider_message_id: proof?.provider_message_id ?? outcome.providerMessageId,
      held: outcome.held,
      error: accepted ? null : outcome.error,
    };
  });
  const { id: requestId, accountId, clientReference, content, refused } = request;
  return composeAnswer(
    { requestId, accountId, clientReference, type: content.type, messages, refused },
    deps.docsUrl(),
  );
}

/** Waits a while for the second commit; after it the commit goes on trying, and the answer goes out from memory. */
async function waitBriefly(deps: SendDeps, { arrivedMs }: SendCall, committed: Promise<void>): Promise<void> {
  const enough = Promise.withResolvers<void>();
  const leftMs = Math.min(COMMIT_WAIT_MS, Math.max(0, arrivedMs + deps.deadlineMs - deps.clock.nowMs()));
  const timer = setTimeout(enough.resolve, leftMs);
  try {
    await Promise.race([committed, enough.promise]);
  } finally {
    clearTimeout(timer);
  }
}
