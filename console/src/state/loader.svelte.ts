import type { Answer } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';

const GONE = 404;

export interface Loader<Value> {
  /** The newest answer. It stays while a newer one is awaited, and when that fails, unless it says that there is no such thing. */
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly busy: boolean;
  load(): Promise<void>;
}

/** Something that is read from the API, once or again: its value, its failure, and whether it is being read. */
export function createLoader<Value>(ask: () => Promise<Answer<Value>>): Loader<Value> {
  let value = $state.raw<Value>();
  let failure = $state.raw<Failure>();
  let busy = $state(false);
  let newest = 0;
  return {
    get value() {
      return value;
    },
    get failure() {
      return failure;
    },
    get busy() {
      return busy;
    },
    async load() {
      newest += 1;
      const number = newest;
      busy = true;
      const answer = await ask();
      // The answer to an older question must not overwrite a newer one.
      if (number !== newest) return;
      busy = false;
      failure = answer.ok ? undefined : answer.failure;
      if (answer.ok) value = answer.value;
      // It is gone, so what was read of it before is not true any more, and its buttons lead nowhere.
      else if (answer.failure.status === GONE) value = undefined;
    },
  };
}
