import type { Pacing, Turn } from '../channels/pacing.ts';
import { formatId } from '../kernel/ids.ts';
import type { Ledger } from '../messages/commit/ledger.ts';
import type { Settlement } from '../messages/commit/settlement.ts';
import type { Sends } from '../messages/send/send.ts';
import type { SendMetrics } from '../observe/send-metrics.ts';
import type { Span, Traces } from '../observe/traces.ts';
import type { Provider } from '../provider/port.ts';

/** What an answer tells of its entries. */
export interface SendCounts {
  accepted: number;
  failed: number;
  unknown: number;
}

/** Counts, measures and traces the ports that a send goes through, so that the send itself knows nothing of it. */
export interface SendWatch {
  sends(sends: Sends): Sends;
  pacing(pacing: Pacing): Pacing;
  ledger(ledger: Ledger): Ledger;
  provider(provider: Provider): Provider;
  /** What the send of this HTTP call came to; undefined if it was none, or is not over. To be asked once, at its end. */
  takeCounts(requestId: string): SendCounts | undefined;
}

interface Running {
  begunMs: number;
  counts: SendCounts | undefined;
  span: Span | undefined;
  messageIds: string[];
  /** One of the two, the HTTP call and the send, is over; the other one forgets. */
  halfOver: boolean;
}

/** A caller may be gone before its send begins, and then nobody comes to take the counts: the oldest make way. */
const REMEMBERED_MAX = 20_000;

type NewRequest = Parameters<Ledger['begin']>[0];

const secondsSince = (sinceMs: number) => (performance.now() - sinceMs) / 1_000;

export function watchSends(metrics: SendMetrics, traces: Traces | undefined): SendWatch {
  const runnings = new Map<string, Running>();
  /** The trace that a message belongs to, by its TypeID: the provider's port knows no request. */
  const parents = new Map<string, string>();

  function end(requestId: string): Running | undefined {
    const running = runnings.get(requestId);
    if (running === undefined) return undefined;
    if (running.halfOver) runnings.delete(requestId);
    running.halfOver = true;
    return running;
  }

  return {
    sends: (sends) => ({
      ...sends,
      async send(call) {
        const sinceMs = Date.now() - (performance.now() - call.arrivedMs);
        const span = traces?.begin('send', 'server', call.traceparent, factsOf(call), sinceMs);
        const running: Running = { begunMs: call.arrivedMs, counts: undefined, span, messageIds: [], halfOver: false };
        remember(runnings, call.requestId, running);
        metrics.running(1);
        try {
          const result = await sends.send(span === undefined ? call : { ...call, traceparent: span.traceparent });
          span?.end(factsOfEnd(result.replayed, running.counts));
          return result;
        } catch (error) {
          span?.end({}, 'refused');
          throw error;
        } finally {
          metrics.running(-1);
          for (const id of running.messageIds) parents.delete(id);
          end(call.requestId);
        }
      },
    }),
    pacing: (pacing) => ({
      ...pacing,
      async turnsFor(channel, people, deadlineMs) {
        const turns = await pacing.turnsFor(channel, people, deadlineMs);
        if (channel.sender.mode === 'live') countTurns(metrics, turns);
        return turns;
      },
      async anotherTurn(channel, deadlineMs) {
        const turn = await pacing.anotherTurn(channel, deadlineMs);
        if (channel.sender.mode === 'live') countTurns(metrics, [turn]);
        return turn;
      },
    }),
    ledger: (ledger) => watchLedger({ ledger, metrics, traces, runnings, parents }),
    provider: (provider) => watchProvider({ provider, metrics, traces, parents }),
    takeCounts: (requestId) => end(requestId)?.counts,
  };
}

function remember(runnings: Map<string, Running>, requestId: string, running: Running): void {
  const [oldest] = runnings.size < REMEMBERED_MAX ? [] : runnings.keys();
  if (oldest !== undefined) runnings.delete(oldest);
  runnings.set(requestId, running);
}

function factsOf({ requestId, principal, command }: Parameters<Sends['send']>[0]) {
  return {
    'waypost.request_id': formatId('req', requestId),
    'waypost.account_id': principal.accountId,
    'waypost.mode': principal.mode,
    'waypost.recipients': command.recipients.length,
  };
}

function factsOfEnd(replayed: boolean, counts: SendCounts | undefined) {
  if (counts === undefined) return { 'waypost.replayed': replayed };
  const { accepted, failed, unknown } = counts;
  return { 'waypost.accepted': accepted, 'waypost.failed': failed, 'waypost.unknown': unknown };
}

function countTurns(metrics: SendMetrics, turns: readonly Turn[]): void {
  const nowMs = performance.now();
  const counts = { now: 0, later: 0, never: 0 };
  for (const turn of turns) {
    counts[turn.kind] += 1;
    if (turn.kind === 'later') metrics.step('pace_wait', Math.max(0, turn.atMs - nowMs) / 1_000);
  }
  for (const [kind, count] of Object.entries(counts)) if (count > 0) metrics.turn(kind, count);
}

interface WatchedLedger {
  ledger: Ledger;
  metrics: SendMetrics;
  traces: Traces | undefined;
  runnings: ReadonlyMap<string, Running>;
  parents: Map<string, string>;
}

function watchLedger({ ledger, metrics, traces, runnings, parents }: WatchedLedger): Ledger {
  return {
    ...ledger,
    async begin(request, leftMs) {
      const begunMs = performance.now();
      const running = runnings.get(request.id);
      if (running !== undefined) metrics.step('prepare', (begunMs - running.begunMs) / 1_000);
      const span = running?.span && traces?.begin('first_commit', 'internal', running.span.traceparent);
      try {
        const begun = await ledger.begin(request, leftMs);
        metrics.step('first_commit', secondsSince(begunMs));
        if (begun && running?.span !== undefined) joinTrace(request, running, running.span, parents);
        if (begun) countRefused(metrics, request);
        if (begun && running !== undefined)
          running.counts = { accepted: 0, failed: request.refused.length, unknown: 0 };
        span?.end();
        return begun;
      } catch (error) {
        span?.end({}, 'not_committed');
        throw error;
      }
    },
    async settle(settlement) {
      const begunMs = performance.now();
      const running = runnings.get(requestOf(settlement));
      countOutcomes(metrics, settlement, running?.counts);
      const span = running?.span && traces?.begin('second_commit', 'internal', running.span.traceparent);
      await ledger.settle(settlement);
      span?.end();
      metrics.step('second_commit', secondsSince(begunMs));
    },
  };
}

function joinTrace({ intended }: NewRequest, running: Running, span: Span, parents: Map<string, string>): void {
  running.messageIds = intended.map(({ id }) => formatId('msg', id));
  for (const id of running.messageIds) parents.set(id, span.traceparent);
}

function countRefused(metrics: SendMetrics, { mode, refused }: NewRequest): void {
  for (const { error } of refused) metrics.entries(mode, 'failed', error.code, 1);
}

/** Empty for a late settlement: the call that it belongs to has been counted. */
function requestOf({ when, settled, completed }: Settlement): string {
  return when === 'late' ? '' : (completed?.id ?? settled[0]?.requestId ?? '');
}

/** Most messages are accepted, so these are counted together. */
function countOutcomes(metrics: SendMetrics, { when, settled }: Settlement, counts: SendCounts | undefined): void {
  let accepted = 0;
  for (const { outcome, mode } of settled) {
    if (when === 'late') metrics.settledLate(outcome.status);
    else if (outcome.status === 'accepted') accepted += 1;
    else metrics.entries(mode, outcome.status, outcome.error?.code ?? 'none', 1);
    if (counts !== undefined) counts[outcome.status] += 1;
  }
  const [first] = settled;
  if (accepted > 0 && first !== undefined) metrics.entries(first.mode, 'accepted', 'none', accepted);
}

interface WatchedProvider {
  provider: Provider;
  metrics: SendMetrics;
  traces: Traces | undefined;
  parents: ReadonlyMap<string, string>;
}

function watchProvider({ provider, metrics, traces, parents }: WatchedProvider): Provider {
  const asked = async <Outcome extends { kind: string }>(ask: string, answer: Promise<Outcome>): Promise<Outcome> => {
    const outcome = await answer;
    metrics.asked(ask, outcome.kind);
    return outcome;
  };
  return {
    ...provider,
    async transmit(sender, message, ...more) {
      const begunMs = performance.now();
      const parent = parents.get(message.id);
      const span = parent === undefined ? undefined : traces?.begin('transmit', 'client', parent);
      const outcome = await provider.transmit(sender, message, ...more);
      const code = outcome.kind === 'accepted' ? 'none' : outcome.error.code;
      metrics.transmitted(sender.mode, outcome.kind, code);
      metrics.step('transmit', secondsSince(begunMs));
      span?.end({ 'waypost.message_id': message.id, 'waypost.outcome': outcome.kind, 'waypost.code': code });
      return outcome;
    },
    connect: (sender, business) => asked('connect', provider.connect(sender, business)),
    readFacts: (sender) => asked('facts', provider.readFacts(sender)),
    listTemplates: (sender, business, name) => asked('templates', provider.listTemplates(sender, business, name)),
  };
}
