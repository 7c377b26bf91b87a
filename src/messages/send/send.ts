import { setTimeout as wait } from 'node:timers/promises';
import type { SendingChannel } from '../../channels/channels.ts';
import type { GivenTurn } from '../../channels/pacing.ts';
import { createInFlight } from '../../kernel/in-flight.ts';
import { msUntil } from '../../kernel/ms-until.ts';
import type { AccountPrincipal } from '../../kernel/principal.ts';
import { createRoom } from '../../kernel/room.ts';
import { storeTooSlow } from '../../kernel/store-unavailable.ts';
import { unavailable } from '../../kernel/unavailable.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import { LATE_ANSWER_MS } from '../../provider/port.ts';
import type { Database } from '../../store/database.ts';
import type { AggregateAnswer } from '../answer.ts';
import type { NewRequest } from '../commit/begin-store.ts';
import { personOf } from '../message.ts';
import type { SendCommand } from '../parse/send-command.ts';
import { giveTurns } from './give-turns.ts';
import type { FindReplay, IdempotencyClaim } from './idempotency.ts';
import { type Plan, planMessages } from './plan.ts';
import { type Preflight, type PreflightDeps, preflight } from './preflight.ts';
import { createRecheck } from './recheck.ts';
import { answerOf, explainClosedWindows } from './send-answer.ts';
import { settleMeanwhile } from './settle-meanwhile.ts';
import { endOf, type Known, partOf } from './settlements.ts';
import { type LateMessage, transmitAll } from './transmit-all.ts';
import type { TransmitDeps } from './transmit-call.ts';

/** What is kept of the deadline for the second commit and the way back. */
const ANSWERING_MS = 1_000;
/** What is kept of that for the way back alone: timers fire late, and the answer is still to be made and written. */
const WAY_BACK_MS = 100;
/** A commit that takes longer than this waits for a store in trouble, and the caller gains nothing by waiting too. */
const COMMIT_WAIT_MS = 3_000;
/**
 * A send holds its content until it is over, in up to twenty times the memory that its body takes. So a large one counts as
 * many: with the default, all bodies together are 16 MiB at most.
 */
const BYTES_A_PLACE = 8 << 10;
/** A stop waits no longer for late answers: their messages are `unknown`, which a notification may still settle. */
const LATE_AT_STOP_MS = 10_000;
const tooLong = storeTooSlow('No answer before the deadline', false);

export interface SendDeps extends PreflightDeps, TransmitDeps {
  database: Database;
  findReplay: FindReplay;
  nodeId: string;
  docsUrl(): string;
  /** From the arrival of a request to its answer. */
  answerWithinMs: number;
  sendsMax: number;
}

export interface SendCall {
  requestId: string;
  principal: AccountPrincipal;
  command: SendCommand;
  channel: SendingChannel;
  idempotency: IdempotencyClaim | undefined;
  traceparent: string | undefined;
  /** Of the steady clock: all deadlines of the send are counted from it. */
  arrivedMs: number;
  /** Of the body as it came. */
  bytes: number;
}

/** `answer` is the text of the answer; `told` is what it tells, where it was made just now. */
export type SendResult =
  | { replayed: true; answer: string }
  | { replayed: false; answer: string; told: AggregateAnswer };

export interface Sends {
  /**
   * Carries a send out and answers for every recipient before the deadline. Throws `unavailable` when too much is under
   * way or the store is away, and the errors of `FindReplay` when another request has just claimed the same key.
   */
  send(call: SendCall): Promise<SendResult>;
  /** What a send has to know before it begins; `StoreUnavailable` if that is not known before its deadline. */
  lookUp<Value>(arrivedMs: number, asked: Promise<Value>): Promise<Value>;
  /**
   * Resolves when no send is under way, and every late answer is settled or has kept us waiting for long enough, or until
   * `lateUntilMs`, a time of `performance.now()`.
   */
  idle(lateUntilMs: number): Promise<void>;
}

export function createSends(deps: SendDeps): Sends {
  const running = createInFlight();
  const late = createInFlight();
  // Half of them for one account: its flood is refused while the others' sends are still taken.
  const ofAccountMax = Math.ceil(deps.sendsMax / 2);
  const room = createRoom({ placesMax: deps.sendsMax, ofAccountMax });

  return {
    async send(call) {
      const { accountId } = call.principal;
      const places = Math.min(ofAccountMax, Math.ceil(call.bytes / BYTES_A_PLACE));
      if (room.enter(accountId, places) !== 'entered') throw unavailable('Too many sends are under way.');
      try {
        return await running.add(carryOut(underWay(deps, call), (settling) => void late.add(settling)));
      } finally {
        room.leave(accountId, places);
      }
    },
    lookUp: (arrivedMs, asked) => withinMs(asked, leftMs(deps, deadlineOf(deps, arrivedMs)), tooLong),
    async idle(lateUntilMs) {
      await running.idle();
      await withinMs(late.idle(), Math.min(LATE_AT_STOP_MS, msUntil(lateUntilMs)), () => undefined);
    },
  };
}

/** A send that is carried out. Its times are of the steady clock. */
interface SendUnderWay {
  deps: SendDeps;
  call: SendCall;
  /** Until when messages may begin. The rest of the time is for the second commit and the answer. */
  deadlineMs: number;
  /** Until when the store may keep its answer waiting. */
  answerByMs: number;
}

function underWay(deps: SendDeps, call: SendCall): SendUnderWay {
  const { arrivedMs } = call;
  const answerByMs = arrivedMs + deps.answerWithinMs - Math.min(WAY_BACK_MS, deps.answerWithinMs / 20);
  return { deps, call, deadlineMs: deadlineOf(deps, arrivedMs), answerByMs };
}

function deadlineOf({ answerWithinMs }: SendDeps, arrivedMs: number): number {
  return arrivedMs + answerWithinMs - Math.min(ANSWERING_MS, answerWithinMs / 4);
}

/** `settling` outlives the call. */
type OnLate = (settling: Promise<void>) => void;

async function carryOut(send: SendUnderWay, onLate: OnLate): Promise<SendResult> {
  const { deps, call, deadlineMs, answerByMs } = send;
  const plan = planMessages(call.command, await preflightUntil(send));
  const turns = await giveTurns(deps, { channel: call.channel, intended: plan.intended, deadlineMs });
  const request = requestOf(send, plan);
  if (!(await begin(send, request))) return replayOfOther(send, request);
  const { known, late, settleRest } = await transmitAndSettle(send, request, turns);
  let made: { answer: string; told: AggregateAnswer } | undefined;
  let fault: unknown;
  try {
    const told = await answerOf(deps, request, known, answerByMs);
    made = { answer: JSON.stringify(told), told };
  } catch (error) {
    // We are wrong about the answer. The outcomes are known nonetheless, and nobody else would ever settle them.
    fault = error;
  }
  const committed = settleRest(made?.answer);
  for (const one of late) onLate(settleLate(deps, request, one, committed));
  await waitBriefly(send, committed);
  if (made === undefined) throw fault;
  return { replayed: false, ...made };
}

/**
 * The provider may have to be asked about a template, which may take longer than the send has: then its messages are not
 * attempted. Other content needs no look-up, and so no limit.
 */
function preflightUntil({ deps, call: { channel, command }, deadlineMs }: SendUnderWay): Promise<Preflight> {
  const looked = preflight(deps, channel, command);
  if (command.content.type !== 'template') return looked;
  return withinMs(looked, leftMs(deps, deadlineMs), () => NOT_ATTEMPTED);
}

const NOT_ATTEMPTED: Preflight = () => ({ code: 'not_attempted' });

function requestOf({ deps, call }: SendUnderWay, { intended, refused }: Plan): NewRequest {
  const { principal, channel, command, traceparent, idempotency } = call;
  return {
    accountId: principal.accountId,
    id: call.requestId,
    mode: principal.mode,
    channelId: channel.id,
    keyId: principal.keyId,
    nodeId: deps.nodeId,
    clientReference: command.clientReference ?? null,
    content: command.content,
    refused,
    intended,
    traceparent: traceparent ?? null,
    idempotency: idempotency ?? null,
    bytes: call.bytes,
  };
}

/** A request that does not begin transmits nothing, and so must not count against the people it would have gone to. */
async function begin({ deps, call, answerByMs }: SendUnderWay, request: NewRequest): Promise<boolean> {
  let begun = false;
  try {
    begun = await deps.ledger.begin(request, leftMs(deps, answerByMs));
    return begun;
  } finally {
    const people = request.intended.filter(({ error }) => error === null).map(personOf);
    if (!begun) deps.pacing.giveBack(call.channel, people);
  }
}

/** Another request claimed the key between our look-up and our commit: it is answered as if it had been seen before. */
async function replayOfOther(
  { deps, answerByMs }: SendUnderWay,
  { accountId, mode, idempotency }: NewRequest,
): Promise<SendResult> {
  const found = idempotency === null ? undefined : deps.findReplay(accountId, mode, idempotency);
  const answer = found && (await withinMs(found, leftMs(deps, answerByMs), tooLong));
  if (answer !== undefined) return { replayed: true, answer };
  // The other one was taken back in this very moment.
  throw unavailable('Please repeat the request.');
}

interface Transmitted {
  known: readonly Known[];
  late: LateMessage[];
  /** Commits what is not committed yet, and completes the request; undefined: there is no answer to keep. */
  settleRest(answer: string | undefined): Promise<void>;
}

/** Transmits everything. What is known before the last outcome is committed meanwhile. */
async function transmitAndSettle(
  { deps, call: { channel, command, arrivedMs }, deadlineMs, answerByMs }: SendUnderWay,
  request: NewRequest,
  turns: readonly (GivenTurn | undefined)[],
): Promise<Transmitted> {
  const { id: requestId, content, intended } = request;
  const explain = (known: readonly Known[]) => explainClosedWindows(deps, request, known, answerByMs);
  const commit = async (known: readonly Known[]) =>
    deps.ledger.settle(partOf(request, 'meanwhile', await explain(known)));
  // Of a single message nothing is known before the end.
  const meanwhile = intended.length > 1 ? settleMeanwhile(commit) : undefined;
  const recheck = createRecheck(deps, channel, command);
  const transmitCall = { requestId, channel, content, intended, arrivedMs, deadlineMs, recheck };
  const sending = transmitAll(deps, transmitCall, turns, meanwhile?.add);
  const transmitted = await sending.finally(() => meanwhile?.stop());
  const known = await explain(transmitted.known);
  return {
    known,
    late: transmitted.late,
    async settleRest(answer) {
      await meanwhile?.committed();
      const rest = known.filter(({ message }) => meanwhile?.hasCommitted(message) !== true);
      await deps.ledger.settle(endOf(request, rest, answer));
    },
  };
}

/** Waits for the commit of the `unknown`: one statement cannot write two outcomes of a message. */
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
  const untilMs = deps.clock.steadyMs() + COMMIT_WAIT_MS;
  const known = await explainClosedWindows(deps, request, [{ message, outcome: late }], untilMs);
  await deps.ledger.settle(partOf(request, 'late', known));
}

/** Waits a while for the second commit; after it the commit goes on trying, and the answer goes out from memory. */
async function waitBriefly({ deps, answerByMs }: SendUnderWay, committed: Promise<void>): Promise<void> {
  await withinMs(committed, Math.min(COMMIT_WAIT_MS, leftMs(deps, answerByMs)), () => undefined);
}

function leftMs({ clock }: SendDeps, untilMs: number): number {
  return Math.max(0, untilMs - clock.steadyMs());
}
