import type { Answer } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';

export interface Loader<Value> {
  /** The newest answer; it stays while a newer one is asked for, and when that fails. */
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly busy: boolean;
  load(): Promise<void>;
}

/** Something that is asked for once or again: what came, whether it failed, whether it is under way. */
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
      // An older question's answer must not overwrite a newer one's.
      if (number !== newest) return;
      busy = false;
      failure = answer.ok ? undefined : answer.failure;
      if (answer.ok) value = answer.value;
    },
  };
}
