import { Readable } from 'node:stream';
import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { presentEvent } from './present.ts';
import { type EventRow, findBounds, listEvents } from './store.ts';
import type { Tail } from './tail.ts';

/** Long enough to be cheap, short enough for the proxies that close quiet connections. */
const HEARTBEAT_MS = 15_000;
/** A key that was revoked must not go on reading: it is looked at so often. */
const RECHECK_MS = 1_500;
/** A reader that takes nothing for this long is dropped. What waits for it meanwhile is one page. */
const STALLED_MS = 60_000;
const PAGE = 100;

export interface StreamDeps {
  database: Queryable;
  tail: Tail;
  docsUrl(): string;
  /** Ends every stream when the process stops. */
  closing: AbortSignal;
}

export interface StreamWish {
  accountId: string;
  mode: Mode;
  /** The first event is the one after this number. */
  after: number;
  types: readonly string[] | null;
  /** False once the key may not read any more. */
  stillAllowed(): Promise<boolean>;
}

/**
 * Events by Server-Sent Events, from one number on and without an end. It is pulled by its reader: nothing is read from
 * the store before the reader has taken what came before.
 */
export function streamEvents(deps: StreamDeps, wish: StreamWish): Readable {
  const ended = new AbortController();
  const stream = Readable.from(produce(deps, wish, ended.signal), { objectMode: false, highWaterMark: 1 });
  const watch = setInterval(() => {
    if (Date.now() - pulledMs > STALLED_MS) stream.destroy();
  }, STALLED_MS / 4);
  let pulledMs = Date.now();
  const read = stream._read.bind(stream);
  stream._read = (size) => {
    pulledMs = Date.now();
    read(size);
  };
  const end = () => ended.abort();
  deps.closing.addEventListener('abort', end);
  stream.once('close', () => {
    clearInterval(watch);
    deps.closing.removeEventListener('abort', end);
    end();
  });
  return stream;
}

async function* produce(deps: StreamDeps, wish: StreamWish, ended: AbortSignal): AsyncGenerator<string> {
  const { accountId, mode, types } = wish;
  let { after } = wish;
  let beatMs = Date.now();
  yield ': the stream has begun\n\n';
  while (!ended.aborted && (await wish.stillAllowed())) {
    const { latest } = await findBounds(deps.database, accountId, mode);
    const rows = await listEvents(deps.database, accountId, mode, after, types, PAGE);
    for (const row of rows) yield frameOf(row, deps.docsUrl());
    const last = rows.at(-1);
    if (last !== undefined) {
      after = last.sequence;
      beatMs = Date.now();
      continue;
    }
    if (Date.now() - beatMs >= HEARTBEAT_MS) {
      beatMs = Date.now();
      yield ': still here\n\n';
    }
    // Nothing up to here passes the filter, so it need not be looked at again.
    after = Math.max(after, latest);
    await deps.tail.wait({ accountId, mode, after }, RECHECK_MS, ended);
  }
}

function frameOf(row: EventRow, docsUrl: string): string {
  return `id: ${row.sequence}\nevent: ${row.type}\ndata: ${JSON.stringify(presentEvent(row, docsUrl))}\n\n`;
}
