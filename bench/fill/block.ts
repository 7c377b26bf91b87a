import { addGroup, type Counts, noCounts } from '../../src/statistics/counts.ts';
import { DELIVERY_TIME_BOUNDS_MS } from '../../src/statistics/delivery-times.ts';

/**
 * The pattern of which a history is made: twenty messages of one moment. All blocks are the same but for their account, their people and
 * their time, so every figure of the history is known without counting.
 */
export const MESSAGES_A_BLOCK = 20;
/**
 * How many of a block's messages, from the first on, have a request each. The others share one, but for the last message, which is inbound.
 */
const SINGLE_REQUESTS = 10;

type Status = 'failed' | 'accepted' | 'sent' | 'delivered' | 'read' | 'received';

/** One of the messages of a block. */
export interface Kind {
  place: number;
  /** Which of the block's requests it belongs to; null if it is inbound. */
  request: number | null;
  status: Status;
  /** The outcome of the send. */
  outcome: 'accepted' | 'failed' | 'received';
  error: { code: string } | null;
  toDeliveryMs: number | null;
  /** From the block's time to the last change of the message. */
  updatedMs: number;
}

/** A report about a message, or its arrival. It is an event, and for an outbound message also an entry of its timeline. */
export interface Step {
  place: number;
  message: number;
  status: Status;
  error: { code: string } | null;
  /** From the block's time to the report. */
  delayMs: number;
}

export interface Block {
  kinds: Kind[];
  steps: Step[];
  counts: Counts;
}

/** In real life the reports come within seconds. */
const REPORTS_MS_MAX = 8_000;
const REPORTS: Record<Status, Status[]> = {
  failed: ['failed'],
  accepted: [],
  sent: ['sent'],
  delivered: ['sent', 'delivered'],
  read: ['sent', 'delivered', 'read'],
  received: ['received'],
};

/** `everyMs`: the time from one block to the next. All reports of a block come within it, so that events stand in order. */
export function makeBlock(everyMs: number): Block {
  const firsts = Array.from({ length: MESSAGES_A_BLOCK }, (_, place) => firstOf(place));
  const reports = firsts.flatMap(({ status, outcome }, message) =>
    outcome === 'failed' ? [] : REPORTS[status].map((report) => ({ message, status: report })),
  );
  const apartMs = Math.min(everyMs, REPORTS_MS_MAX) / (reports.length + 1);
  const steps = reports
    .toSorted((a, b) => REPORTS.read.indexOf(a.status) - REPORTS.read.indexOf(b.status))
    .map(({ message, status }, place): Step => {
      const error = status === 'failed' ? { code: 'recipient_unreachable' } : null;
      return { place, message, status, error, delayMs: Math.floor(apartMs * (place + 1)) };
    });
  const kinds = firsts.map((first) => kindOf(first, steps));
  return { kinds, steps, counts: countsOf(kinds) };
}

function firstOf(place: number): Pick<Kind, 'place' | 'request' | 'status' | 'outcome'> {
  const request = Math.min(place, SINGLE_REQUESTS);
  if (place === 0) return { place, request, status: 'failed', outcome: 'failed' };
  if (place === MESSAGES_A_BLOCK - 1) return { place, request: null, status: 'received', outcome: 'received' };
  return { place, request, status: statusAt(place), outcome: 'accepted' };
}

/** Half of the messages are read and a quarter are delivered. A few stop earlier. */
function statusAt(place: number): Status {
  if (place === 1) return 'failed';
  if (place === 2) return 'accepted';
  if (place <= 4) return 'sent';
  return place <= 8 ? 'delivered' : 'read';
}

function kindOf(first: ReturnType<typeof firstOf>, steps: readonly Step[]): Kind {
  const own = steps.filter(({ message }) => message === first.place);
  const sendError = first.outcome === 'failed' ? { code: 'invalid_recipient' } : null;
  return {
    ...first,
    error: own.at(-1)?.error ?? sendError,
    toDeliveryMs: own.find(({ status }) => status === 'delivered')?.delayMs ?? null,
    updatedMs: own.at(-1)?.delayMs ?? 0,
  };
}

function countsOf(kinds: readonly Kind[]): Counts {
  const counts = noCounts();
  for (const { status, outcome, error, toDeliveryMs } of kinds) {
    const time = toDeliveryMs === null ? null : DELIVERY_TIME_BOUNDS_MS.filter((bound) => bound <= toDeliveryMs).length;
    addGroup(counts, { status, taken: outcome === 'accepted', code: error?.code ?? null, time, count: 1 });
  }
  return counts;
}
