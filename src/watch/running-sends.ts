import { formatId } from '../kernel/ids.ts';
import type { SendMetrics } from '../observe/send-metrics.ts';
import type { Span, Traces } from '../observe/traces.ts';

/** What an answer tells of its entries. */
export interface SendCounts {
  accepted: number;
  failed: number;
  unknown: number;
}

/** A send under way. */
export interface RunningSend {
  readonly begunMs: number;
  /** undefined: it is not traced. */
  readonly span: Span | undefined;
  /** undefined until it is answered, and where the answer is an error or is given again. */
  counts: SendCounts | undefined;
  /** Those that are traced, by their TypeIDs. */
  messageIds: readonly string[];
  /** One of the two, the HTTP call and the send, is over; the other one forgets. */
  halfOver: boolean;
}

/** What is known of the sends under way: each port that they go through tells and asks. */
export interface RunningSends {
  begin(requestId: string, begunMs: number, span: Span | undefined): RunningSend;
  find(requestId: string): RunningSend | undefined;
  /** What is done to these messages belongs to the trace of their send. */
  traceMessages(running: RunningSend, span: Span, messages: readonly { id: string }[]): void;
  /** The `traceparent` for what is done to a message, by its TypeID: the provider's port knows no request. */
  parentOf(messageId: string): string | undefined;
  /** The send is over. */
  end(requestId: string, running: RunningSend): void;
  /** What the send of this HTTP call came to; undefined if it was none, or is not over. To be asked once, at its end. */
  takeCounts(requestId: string): SendCounts | undefined;
}

/** What the ports of a send are watched with. */
export interface SendWatch {
  metrics: SendMetrics;
  traces: Traces | undefined;
  running: RunningSends;
}

/** A caller may be gone before its send begins, and then nobody comes to take the counts: the oldest make way. */
const REMEMBERED_MAX = 20_000;

export function createRunningSends(): RunningSends {
  const sends = new Map<string, RunningSend>();
  const parents = new Map<string, string>();
  const endHalf = (requestId: string) => {
    const running = sends.get(requestId);
    if (running === undefined) return undefined;
    if (running.halfOver) sends.delete(requestId);
    running.halfOver = true;
    return running;
  };
  return {
    begin(requestId, begunMs, span) {
      const running: RunningSend = { begunMs, span, counts: undefined, messageIds: [], halfOver: false };
      const [oldest] = sends.size < REMEMBERED_MAX ? [] : sends.keys();
      if (oldest !== undefined) sends.delete(oldest);
      sends.set(requestId, running);
      return running;
    },
    find: (requestId) => sends.get(requestId),
    traceMessages(running, { traceparent }, messages) {
      running.messageIds = messages.map(({ id }) => formatId('msg', id));
      for (const id of running.messageIds) parents.set(id, traceparent);
    },
    parentOf: (messageId) => parents.get(messageId),
    end(requestId, { messageIds }) {
      for (const id of messageIds) parents.delete(id);
      endHalf(requestId);
    },
    takeCounts: (requestId) => endHalf(requestId)?.counts,
  };
}
