import type { Failure } from '../api/failure.ts';
import { type AggregateAnswer, aggregateAnswer } from '../api/message.ts';
import { api } from '../state/session.svelte.ts';
import { newIdempotencyKey } from './new-key.ts';

/** One send with its key, and its outcome. */
export function createSending() {
  let answer = $state.raw<AggregateAnswer>();
  let failure = $state.raw<Failure>();
  let replayed = $state(false);
  let busy = $state(false);
  let last = { json: '', key: '' };

  async function carryOut(): Promise<void> {
    busy = true;
    answer = undefined;
    failure = undefined;
    const { json, key } = last;
    // With its key it is carried out once, however often it is asked for.
    const headers = { 'idempotency-key': key };
    const call = { method: 'POST', path: '/api/v1/messages/send', body: json, headers, harmless: true } as const;
    const result = await api(call, aggregateAnswer);
    busy = false;
    if (!result.ok) {
      failure = result.failure;
      return;
    }
    answer = result.value;
    replayed = result.headers.get('idempotent-replayed') === 'true';
  }

  /** Whether the same send may succeed later: no answer came, or only one of a proxy that had waited, or the gateway could not accept it now. */
  function canRepeat(): boolean {
    return (
      failure !== undefined &&
      (failure.status === 0 || failure.status >= 500 || [408, 409, 429].includes(failure.status))
    );
  }

  return {
    get answer() {
      return answer;
    },
    get failure() {
      return failure;
    },
    /** Whether the answer is that of an earlier try, which was carried out after all. */
    get replayed() {
      return replayed;
    },
    get busy() {
      return busy;
    },
    /**
     * Sends the text. If it was sent last, and has no answer, this repeats that send with its key: it may have been carried out, whatever a
     * proxy, or the gateway at a later try, has refused. The key of a send that was refused is free.
     */
    send(json: string): Promise<void> {
      if (answer !== undefined || json !== last.json) last = { json, key: newIdempotencyKey() };
      return carryOut();
    },
    get canRepeat() {
      return canRepeat();
    },
    /** Repeats the last send: the same bytes with the same key. */
    repeat: () => carryOut(),
  };
}
