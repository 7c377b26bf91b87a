import { gatewayPath } from '../api/gateway-path.ts';
import { event, eventPage, type WaypostEvent } from '../api/message.ts';
import { readStream, type StreamState } from '../api/stream.ts';
import { createBatch } from './batch.ts';
import { api, session } from './session.svelte.ts';

export type LiveState = StreamState | { kind: 'off' };
type Listener = (events: WaypostEvent[]) => void;

/** The account's events as they are recorded: one stream for the whole tab, and each page hears it. */
export const live = createLive();

function createLive() {
  let state = $state.raw<LiveState>({ kind: 'off' });
  let stop: AbortController | undefined;
  let heard: number | undefined;
  const listeners = new Set<Listener>();

  /** `from`: the last event that was heard; undefined: what happens from now on is of interest. */
  async function start(from?: number): Promise<void> {
    stop?.abort();
    stop = new AbortController();
    const { signal } = stop;
    const batch = createBatch<WaypostEvent>((events) => {
      for (const listener of listeners) listener(events);
    });
    signal.addEventListener('abort', () => batch.stop());
    const setState = (next: StreamState) => {
      if (signal.aborted) return;
      state = next;
      if (next.kind === 'refused') session.notice(next.failure);
    };
    const after = from ?? (await latestSequence(setState, signal));
    // It may have been stopped while it asked, and what the next session hears begins elsewhere.
    if (after === undefined || signal.aborted) return;
    heard = after;
    const onEvents = (events: WaypostEvent[]) => {
      heard = events.at(-1)?.sequence ?? heard;
      batch.add(events);
    };
    const path = gatewayPath('/api/v1/events/stream');
    await readStream({ key: session.key, path, after, decode: event, onEvents, onState: setState }, signal);
  }

  return {
    get state() {
      return state;
    },
    start: () => start(),
    /** Connects at once instead of waiting, and misses nothing. */
    retry: () => start(heard),
    stop() {
      stop?.abort();
      heard = undefined;
      state = { kind: 'off' };
    },
    /** Returns what ends the listening. */
    listen(listener: Listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const RETRY_MS = 3_000;

/** Where the stream begins: whatever happens after this is heard, however long the first connection takes. */
async function latestSequence(
  setState: (state: StreamState) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    setState({ kind: 'connecting' });
    const answer = await api({ path: '/api/v1/events', query: { limit: 1 } }, eventPage);
    if (answer.ok) return answer.value.latest_sequence;
    if (answer.failure.status === 401 || answer.failure.status === 403)
      return void setState({ kind: 'refused', failure: answer.failure });
    setState({ kind: 'waiting', retryAt: Date.now() + RETRY_MS });
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return undefined;
}
