import { withinMs } from './within-ms.ts';

interface Limits<Answer> {
  /** How long an answer is believed, counted from when it was asked for. */
  believedMs: number;
  /** Whoever has waited for so long gets what `late` returns. */
  waitMs: number;
  late(): Answer;
}

/**
 * Asks one question at a time, however many want the answer: without an answer further questions would use up the connections, and a
 * database in trouble must not be asked more and more.
 */
export function askSeldom<Answer>(
  ask: () => Promise<Answer>,
  { believedMs, waitMs, late }: Limits<Answer>,
): () => Promise<Answer> {
  let known: { answer: Promise<Answer>; untilMs: number } | undefined;
  let asking = false;
  const begin = () => {
    asking = true;
    return ask().finally(() => {
      asking = false;
    });
  };
  return () => {
    if (known === undefined || (!asking && known.untilMs <= performance.now()))
      known = { answer: begin(), untilMs: performance.now() + believedMs };
    return withinMs(known.answer, waitMs, late);
  };
}
