import { isRefusal } from '../api/failure.ts';
import { gatewayPath } from '../api/gateway-path.ts';
import { event, eventPage, type WaypostEvent } from '../api/message.ts';
import { readStream, type StreamState } from '../api/stream.ts';
import { createBatch } from './batch.ts';
import { api, session } from './session.svelte.ts';

export type LiveState = StreamState | { kind: 'off' };
type Listener = (events: WaypostEvent[]) => void;

/** The account's events as they are recorded. There is one stream for the whole tab, and every page can listen to it. */
export const live = createLive();

function createLive() {
  let state = $state.raw<LiveState>({ kind: 'off' });
  let stop: AbortController | undefined;
  let heard: number | undefined;
  const listeners = new Set<Listener>();
  const beginners = new Set<() => void>();

  /** `from`: the last event that was read. Without it the stream begins now. */
  async function start(from?: number): Promise<void> {
    stop?.abort();
    stop = new AbortController();
    const { signal } = stop;
    const batch = createBatch<WaypostEvent>((events) => {
      // Only now: what waits to be handed over is dropped when the stream is begun again, and so must be read again.
      heard = events.at(-1)?.sequence ?? heard;
      for (const listener of listeners) listener(events);
    });
    signal.addEventListener('abort', () => batch.stop());
    const setState = (next: StreamState) => {
      if (signal.aborted) return;
      state = next;
      if (next.kind === 'refused') session.notice(next.failure);
    };
    const after = from ?? (await latestSequence(setState, signal));
    // It may have been stopped while it asked, and the next session begins at another event.
    if (after === undefined || signal.aborted) return;
    heard = after;
    if (from === undefined) for (const begun of beginners) begun();
    const onEvents = batch.add;
    const path = gatewayPath('/api/v1/events/stream');
    await readStream({ key: session.key, path, after, decode: event, onEvents, onState: setState }, signal);
  }

  return {
    get state() {
      return state;
    },
    start: () => start(),
    /** Connects at once instead of waiting. No event is missed. */
    retry: () => start(heard),
    stop() {
      stop?.abort();
      heard = undefined;
      state = { kind: 'off' };
    },
    /**
     * Returns a function that stops listening. `begun` is called when it is known after which event the stream begins: no listener is told
     * of what happened before, and a page may have read its list even earlier.
     */
    listen(listener: Listener, begun = () => {}): () => void {
      listeners.add(listener);
      beginners.add(begun);
      return () => {
        listeners.delete(listener);
        beginners.delete(begun);
      };
    },
  };
}

const RETRY_MS = 3_000;

/** The number after which the stream begins. Whatever happens after this is read, however long the first connection takes. */
async function latestSequence(
  setState: (state: StreamState) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    setState({ kind: 'connecting' });
    const answer = await api({ path: '/api/v1/events', query: { limit: 1 } }, eventPage);
    if (answer.ok) return answer.value.latest_sequence;
    const { failure } = answer;
    if (isRefusal(failure)) return void setState({ kind: 'refused', failure });
    setState({ kind: 'waiting', retryAt: Date.now() + RETRY_MS, status: failure.status });
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return undefined;
}
