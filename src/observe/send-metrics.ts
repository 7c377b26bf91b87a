import { Gauge, type Registry } from 'prom-client';
import type { Mode } from '../kernel/principal.ts';
import { ITEMS, SECONDS } from './buckets.ts';
import { createCounter } from './counter.ts';
import { createHistogram } from './histogram.ts';
import { SENDER_CODES } from './sender-codes.ts';

/**
 * The steps of a send: everything before the first commit; the commit; the wait for a turn, where there is one; one
 * transmit; the second commit.
 */
export type SendStep = 'prepare' | 'first_commit' | 'pace_wait' | 'transmit' | 'second_commit';
/** What writers of one moment share a commit for. */
export type SharedCommit = 'sends' | 'tellings' | 'turns' | 'notifications' | 'attempts';

export interface SendMetrics {
  step(step: SendStep, seconds: number): void;
  /** Entries of answers; `code` is the message error's, or `none`. */
  entries(mode: Mode, status: string, code: string, count: number): void;
  transmitted(mode: Mode, outcome: string, code: string): void;
  /** Anything else that the provider was asked. */
  asked(ask: string, outcome: string): void;
  turn(kind: string, count: number): void;
  settledLate(status: string): void;
  committedTogether(what: SharedCommit, items: number): void;
  /** One more send under way, or one less. */
  running(change: 1 | -1): void;
}

export function createSendMetrics(registry: Registry): SendMetrics {
  const registers = [registry];
  const steps = createHistogram({
    name: 'waypost_send_step_seconds',
    help: 'How long each step of a send takes.',
    labelNames: ['step'],
    buckets: SECONDS,
    registers,
  });
  const entries = createCounter({
    name: 'waypost_send_entries_total',
    help: 'Entries in the answers to sends, by mode (`test`: the sandbox), status and error code.',
    labelNames: ['mode', 'status', 'code'],
    registers,
  });
  // An alert looks at it, and a count that begins with its first one would hide that from every rate.
  entries.inc({ mode: 'live', status: 'failed', code: 'sender_suspended' }, 0);
  const running = new Gauge({ name: 'waypost_sends_running', help: 'Sends under way on this node.', registers });
  const committed = createHistogram({
    name: 'waypost_commit_items',
    help: 'How many items share one commit.',
    labelNames: ['what'],
    buckets: ITEMS,
    registers,
  });
  return {
    ...createProviderMetrics(registry),
    step: (step, seconds) => steps.observe({ step }, seconds),
    entries: (mode, status, code, count) => entries.inc({ mode, status, code }, count),
    committedTogether: (what, items) => committed.observe({ what }, items),
    running: (change) => running.inc(change),
  };
}

function createProviderMetrics(registry: Registry) {
  const registers = [registry];
  const transmits = createCounter({
    name: 'waypost_transmits_total',
    help: 'Transmits by mode, outcome and error code.',
    labelNames: ['mode', 'outcome', 'code'],
    registers,
  });
  for (const code of SENDER_CODES) transmits.inc({ mode: 'live', outcome: 'refused', code }, 0);
  const asks = createCounter({
    name: 'waypost_provider_asks_total',
    help: 'What else the provider was asked (connect, facts, subscription, templates), by outcome.',
    labelNames: ['ask', 'outcome'],
    registers,
  });
  for (const outcome of ['resubscribed', 'lost']) asks.inc({ ask: 'subscription', outcome }, 0);
  const turns = createCounter({
    name: 'waypost_send_turns_total',
    help: "Turns given to messages by pacing: now, later, or never within the send's deadline. One for each try, and one more whenever a turn passed before its message could go.",
    labelNames: ['turn'],
    registers,
  });
  const late = createCounter({
    name: 'waypost_messages_settled_late_total',
    help: "Messages whose provider's answer came after ours, by the status that it settled.",
    labelNames: ['status'],
    registers,
  });
  return {
    transmitted: (mode: Mode, outcome: string, code: string) => transmits.inc({ mode, outcome, code }),
    asked: (ask: string, outcome: string) => asks.inc({ ask, outcome }),
    turn: (kind: string, count: number) => turns.inc({ turn: kind }, count),
    settledLate: (status: string) => late.inc({ status }),
  };
}
