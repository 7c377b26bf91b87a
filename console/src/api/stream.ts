import { type Decode, DecodeError } from './decode.ts';
import { type Failure, isRefusal, readProblem, unreadable } from './failure.ts';
import { jsonOf } from './json-of.ts';
import { createSseReader, type ServerSentEvent } from './sse.ts';

/**
 * `waiting`: the connection is lost, and is made again at `retryAt` (milliseconds since 1970). `status`: that of the answer that came in
 * the place of a stream; 0 if none did. `refused`: the gateway refused, or answered something that cannot be read. It is not asked again.
 */
export type StreamState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'waiting'; retryAt: number; status: number }
  | { kind: 'refused'; failure: Failure };

interface Stream<Event> {
  key: string;
  path: string;
  /** The sequence after which to begin. */
  after: number;
  decode: Decode<Event>;
  onEvents(events: Event[]): void;
  onState(state: StreamState): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Something between may answer 200 and end the connection at once. One that stays open for so long, or brings an event, is no failure. */
const STEADY_MS = 5_000;
/** The gateway writes a comment every 15 s. A connection that has been silent for three of them is dead. */
const SILENCE_MS = 45_000;

/**
 * Reads events until `stop` is aborted or the gateway refuses. It is used because the browser's own reader cannot send the key in a header.
 * After a lost connection it goes on after the last event that it has read, and waits longer after every failure.
 */
export async function readStream<Event>(stream: Stream<Event>, stop: AbortSignal): Promise<void> {
  const place = { after: stream.after };
  for (let failures = 0; !stop.aborted; ) {
    stream.onState({ kind: 'connecting' });
    const end = await readOnce(stream, place, stop);
    if (stop.aborted) return;
    if (end.kind === 'refused') return stream.onState(end);
    failures = end.wasSteady ? 1 : failures + 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
    stream.onState({ kind: 'waiting', retryAt: Date.now() + waitMs, status: end.status });
    await pause(waitMs, stop);
  }
}

type End = { kind: 'lost'; wasSteady: boolean; status: number } | { kind: 'refused'; failure: Failure };

async function readOnce<Event>(stream: Stream<Event>, place: { after: number }, stop: AbortSignal): Promise<End> {
  const silence = new AbortController();
  const signal = AbortSignal.any([stop, silence.signal]);
  let wasSteady = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const setSteady = () => {
    wasSteady = true;
  };
  try {
    const answer = await within(
      silence,
      fetch(stream.path, {
        headers: { authorization: `Bearer ${stream.key}`, 'last-event-id': String(place.after) },
        cache: 'no-store',
        signal,
      }),
    );
    const { status } = answer;
    if (status === 401 || status === 403) {
      const failure = readProblem(status, jsonOf(await within(silence, answer.text())), null);
      return isRefusal(failure) ? { kind: 'refused', failure } : { kind: 'lost', wasSteady, status };
    }
    if (!answer.ok || answer.body === null) return { kind: 'lost', wasSteady, status: answer.ok ? 0 : status };
    timer = setTimeout(setSteady, STEADY_MS);
    stream.onState({ kind: 'live' });
    const read = createSseReader();
    for await (const piece of textsOf(answer.body, silence)) if (take(stream, place, read(piece))) setSteady();
  } catch (error) {
    // An event that cannot be read now cannot be read later either. After any other error the connection is made again.
    if (error instanceof DecodeError) return { kind: 'refused', failure: unreadable(error.message) };
  } finally {
    clearTimeout(timer);
    // Whatever has ended the reading, the connection must be closed: otherwise the gateway would go on writing.
    silence.abort();
  }
  return { kind: 'lost', wasSteady, status: 0 };
}

/** The texts of a body as they arrive. */
async function* textsOf(body: ReadableStream<Uint8Array>, silence: AbortController): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await within(silence, reader.read());
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Ends a connection that is silent for too long, even one that was never answered, as after a laptop has slept. */
function within<Value>(silence: AbortController, coming: Promise<Value>): Promise<Value> {
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  return coming.finally(() => clearTimeout(timer));
}

/** Returns whether there were any. */
function take<Event>(stream: Stream<Event>, place: { after: number }, events: ServerSentEvent[]): boolean {
  if (events.length === 0) return false;
  stream.onEvents(events.map(({ data }) => stream.decode(parse(data))));
  const last = events.findLast(({ id }) => id !== null);
  if (last?.id) place.after = Number(last.id);
  return true;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // The connection is fine, so it must not be made again as if it were lost: the same event would come.
    throw new DecodeError('An event is no JSON.');
  }
}

function pause(waitMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // The listener is removed, because the signal outlives many pauses.
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    stop.addEventListener('abort', end);
  });
}
