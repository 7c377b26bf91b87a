import { withinMs } from './within-ms.ts';

/** How long one waits for the answer under way. After that it may be stuck, and must hold nobody up. */
const WAIT_MS_MAX = 250;

/**
 * Lets those who ask for the same at the same time share one answer. Nobody gets an answer that was begun before they asked:
 * who asks while one is under way waits for the next one, together with all who ask meanwhile.
 */
export function createSharing<Answer>(): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<Answer>>();
  return (key, ask) => {
    const awaited = next.get(key);
    if (awaited !== undefined) return awaited;
    const before = underWay.get(key);
    const mayBegin = before === undefined ? nextTurn() : withinMs(before, WAIT_MS_MAX, () => undefined);
    const answer = mayBegin.then(() => {
      next.delete(key);
      const begun = ask();
      const forget = () => {
        if (underWay.get(key) === ended) underWay.delete(key);
      };
      // An error goes to those who share the answer.
      const ended: Promise<void> = begun.then(forget, forget);
      underWay.set(key, ended);
      return begun;
    });
    next.set(key, answer);
    return answer;
  };
}

/** One turn of the event loop later, all who were woken together have asked. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
