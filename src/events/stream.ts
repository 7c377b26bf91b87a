import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../kernel/principal.ts';
import { unlessUnavailable } from '../kernel/store-unavailable.ts';
import type { TakePage } from './catch-up.ts';
import type { EventReads, WrittenEvent } from './event-reads.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { Tail } from './tail.ts';

/** Long enough to be cheap, short enough for the proxies that close quiet connections. */
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for this long is dropped. What waits for it meanwhile is one page. */
const STALLED_MS = 60_000;
/** A revoked key must not read on for more than 2 s, and it is believed for 1.5 s of them. */
const LOOK_MS = 400;
/** A reader that has not taken the end of its stream by then is hung up on. */
const ENDING_MS = 1_000;
const PAGE = 100;
/** Of a page, about: what a stream holds for a reader that takes nothing, a thousand times for an account. */
const PAGE_BYTES = 64 << 10;
/**
 * How many events are asked for while their size is not known yet. Near the end of a log too: its readers all ask for as many
 * there, and so share what they read.
 */
const PAGE_AT_FIRST = 10;

export interface StreamDeps {
  reads: EventReads;
  tail: Tail;
  takePage: TakePage;
  /** Ends the stream: the process stops, or the reader may be gone. */
  closing: AbortSignal;
  heartbeatMs?: number;
  stalledMs?: number;
}

export interface StreamWish extends Owner {
  /** The first event is the one after this number. */
  after: number;
  /** The reader named no number, so that the stream begins with what comes from now on. */
  beginsNow: boolean;
  types: readonly string[] | null;
  /** False once the key may not read any more. */
  stillAllowed(): Promise<boolean>;
}

/**
 * Events by Server-Sent Events, from one number on and without an end. It is pulled by its reader: nothing is read from
 * the store before the reader has taken what came before.
 */
export function streamEvents(deps: StreamDeps, wish: StreamWish): Readable {
  const { closing, stalledMs = STALLED_MS } = deps;
  const ended = new AbortController();
  const frames = produce(deps, wish, ended.signal);
  let takenMs = performance.now();
  let ending: NodeJS.Timeout | undefined;

  const pull = async () => {
    const { value, done } = await frames.next();
    if (!stream.destroyed) stream.push(done === true ? null : value);
  };
  const look = async () => {
    if (performance.now() - takenMs > stalledMs && stream.readableLength > 0) stream.destroy();
    // While the store is away the key cannot be looked up, and nothing can be read either.
    else if ((await unlessUnavailable(wish.stillAllowed())) === false) end();
  };
  const fail = (error: Error) => void stream.destroy(error);
  const end = () => {
    ended.abort();
    ending ??= setTimeout(() => stream.destroy(), ENDING_MS);
  };
  const watch = setInterval(() => void look().catch(fail), LOOK_MS);
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      takenMs = performance.now();
      pull().catch(fail);
    },
    destroy(error, done) {
      ended.abort();
      clearInterval(watch);
      clearTimeout(ending);
      closing.removeEventListener('abort', end);
      done(error);
    },
  });
  closing.addEventListener('abort', end);
  if (closing.aborted) end();
  return stream;
}

async function* produce(deps: StreamDeps, wish: StreamWish, ended: AbortSignal): AsyncGenerator<string | Buffer, void> {
  const { accountId, mode, types } = wish;
  const heart = createHeartbeat(deps.heartbeatMs ?? HEARTBEAT_MS);
  let { after } = wish;
  let fitting = PAGE_AT_FIRST;
  // Who begins now is told where that is. An id without data is no event, but the reader keeps it as its last id: if it is cut off before the
  // first event, it goes on from here, and not from what is the end of the log by then. https://html.spec.whatwg.org/multipage/server-sent-events.html#dispatchMessage
  yield `: the stream has begun\n${wish.beginsNow ? `id: ${after}\n` : ''}\n`;
  while (!ended.aborted) {
    const latest = yield* heart.until(deps.reads.latest({ accountId, mode }));
    const limit = latest - after <= PAGE_AT_FIRST ? PAGE_AT_FIRST : fitting;
    const events = yield* heart.until(deps.reads.list({ accountId, mode, after, types, limit }));
    if (ended.aborted) return;
    let bytes = 0;
    const pieces = framesOf(events);
    const next = () => heart.until(pieces.next());
    for (let piece = yield* next(); piece.done !== true; piece = yield* next()) {
      for (const part of partsOf(piece.value)) {
        if (ended.aborted) return;
        bytes += part.length;
        yield part;
      }
    }
    yield* heart.due();
    // Where nothing passes the filter, what is there need not be looked at again.
    after = events.at(-1)?.sequence ?? Math.max(after, latest);
    if (events.length > 0) fitting = fittingIn(PAGE_BYTES, bytes / events.length);
    if (events.length === 0) await deps.tail.wait({ accountId, mode, after }, heart.leftMs(), ended);
    // It rejects when the stream ends, and only then.
    else if (latest - after > PAGE)
      yield* heart.until(sleep(deps.takePage(accountId), undefined, { signal: ended }).catch(() => undefined));
  }
}

function fittingIn(bytes: number, ofOne: number): number {
  return Math.max(1, Math.min(PAGE, Math.floor(bytes / ofOne)));
}

/**
 * A piece in parts of a page's size. Whether a reader takes anything is seen at the parts: one on a slow line needs more than `STALLED_MS` for a
 * large event, and would be dropped in the midst of it, again and again. In bytes, because a text may be cut within a character.
 */
function* partsOf(piece: string): Generator<Buffer, void> {
  const bytes = Buffer.from(piece);
  for (let from = 0; from < bytes.length; from += PAGE_BYTES) yield bytes.subarray(from, from + PAGE_BYTES);
}

/** A page of frames in one piece; but a large event in one of its own, which is read once what comes before it was taken. */
async function* framesOf(events: readonly WrittenEvent[]): AsyncGenerator<string, void> {
  let piece = '';
  for (const { sequence, type, text } of events) {
    const isLarge = typeof text !== 'string';
    if (isLarge && piece !== '') {
      yield piece;
      piece = '';
    }
    piece += `id: ${sequence}\nevent: ${type}\ndata: ${isLarge ? await text() : text}\n\n`;
    if (isLarge) {
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
