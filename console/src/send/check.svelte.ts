import type { Failure } from '../api/failure.ts';
import { type Validation, validation } from '../api/message.ts';
import { api } from '../state/session.svelte.ts';

/** Long enough not to ask after every letter, and short enough to seem immediate. */
const PAUSE_MS = 400;

export type Checked = { failure: Failure } | { validation: Validation };

/** Asks the gateway to validate what is being written, a moment after the last change. */
export function createCheck() {
  let checked = $state.raw<Checked>();
  let busy = $state(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();

  async function ask(json: string, signal: AbortSignal): Promise<void> {
    const call = { method: 'POST', path: '/api/v1/messages/validate', body: json, signal, harmless: true } as const;
    const answer = await api(call, validation);
    if (signal.aborted) return;
    busy = false;
    checked = answer.ok ? { validation: answer.value } : { failure: answer.failure };
  }

  return {
    get checked() {
      return checked;
    },
    get busy() {
      return busy;
    },
    /** undefined: there is nothing to check yet. */
    plan(json: string | undefined): void {
      clearTimeout(timer);
      asking.abort();
      asking = new AbortController();
      busy = json !== undefined;
      if (json === undefined) checked = undefined;
      else {
        const { signal } = asking;
        timer = setTimeout(() => ask(json, signal), PAUSE_MS);
      }
    },
    stop(): void {
      clearTimeout(timer);
      asking.abort();
    },
  };
}
