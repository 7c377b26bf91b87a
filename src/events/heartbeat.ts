import { withinMs } from '../kernel/within-ms.ts';

/** A comment of Server-Sent Events, which its reader's library leaves out. */
const BEAT = ': still here\n\n';

/** A beat for every so many milliseconds, beside events too: a reader may count on it, as on a clock. */
export interface Heartbeat {
  /** How long until the next one is due. */
  leftMs(): number;
  /** The beat, if one is due. */
  due(): Generator<string, void>;
  /** Beats until there is an answer, however long the store holds it back: otherwise a reader would take its connection for dead. */
  until<Value>(asked: Promise<Value>): AsyncGenerator<string, Value>;
}

/** The first beat is due `everyMs` from now. */
export function createHeartbeat(everyMs: number): Heartbeat {
  let lastMs = performance.now();
  const leftMs = () => Math.max(0, lastMs + everyMs - performance.now());

  function* due() {
    if (leftMs() > 0) return;
    lastMs = performance.now();
    yield BEAT;
  }

  async function* until<Value>(asked: Promise<Value>) {
    const answered = asked.then((value) => ({ value }));
    for (;;) {
      const answer = await withinMs<{ value: Value } | undefined>(answered, leftMs(), () => undefined);
      if (answer !== undefined) return answer.value;
      yield* due();
    }
  }

  return { leftMs, due, until };
}
