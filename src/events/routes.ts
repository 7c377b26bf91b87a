import { Type } from 'typebox';
import { halfClosedSignal } from '../http/half-closed.ts';
import { PAGE_QUERY, readPage } from '../http/page.ts';
import { accountRoute, type Route } from '../http/route.ts';
import { textOfForm } from '../http/text-of-form.ts';
import { ApiError } from '../kernel/errors.ts';
import type { ReadsInTurn } from '../kernel/reads-in-turn.ts';
import type { RoomLimits } from '../kernel/room.ts';
import type { Queryable } from '../store/database.ts';
import { createCatchUp } from './catch-up.ts';
import { EVENT_TYPES } from './event.ts';
import { createEventReads, type WrittenEvent } from './event-reads.ts';
import { eventOperations } from './operations.ts';
import type { ReadWish } from './store.ts';
import { type StreamDeps, streamEvents } from './stream.ts';
import { createWaiting, type Waiting } from './waiting.ts';
import { writePage } from './write-page.ts';

const WAIT_SECONDS_MAX = 30;

interface Deps extends StreamDeps {
  waiting: Waiting;
  /** Rejects once the key of this header is not valid any more. */
  authenticate(authorization: string | undefined): Promise<unknown>;
}

interface RouteDeps extends Omit<Deps, 'reads' | 'waiting' | 'takePage'> {
  database: Queryable;
  inTurn: ReadsInTurn;
  waitingLimits?: RoomLimits;
  docsUrl(): string;
}

const NO_SEQUENCE = 'This must be a whole number of 1 to 15 digits.';
const isSequence = (text: string) => /^[0-9]{1,15}$/.test(text);
const SEQUENCE = textOfForm(
  { type: 'integer', minimum: 0, description: 'The sequence to read after; 0 is before the first.' },
  isSequence,
  () => NO_SEQUENCE,
);
const TYPES = textOfForm(
  { minLength: 1, description: 'Event types, separated by commas.' },
  (text) => readTypes(text).every((type) => EVENT_TYPES.some((known) => known === type)),
  () => `Event types are ${EVENT_TYPES.join(', ')}.`,
);

const LIST_QUERY = Type.Object(
  {
    after: Type.Optional(SEQUENCE),
    type: Type.Optional(TYPES),
    limit: PAGE_QUERY.limit,
    wait: Type.Optional(
      textOfForm(
        {
          ...{ type: 'integer', minimum: 0, maximum: WAIT_SECONDS_MAX, default: 0 },
          description: 'How many seconds to wait for the first event.',
        },
        (text) => /^([0-9]|[12][0-9]|30)$/.test(text),
        () => `This must be a whole number from 0 to ${WAIT_SECONDS_MAX}.`,
      ),
    ),
  },
  { additionalProperties: false },
);
const STREAM_QUERY = Type.Object(
  { after: Type.Optional(SEQUENCE), type: Type.Optional(TYPES) },
  { additionalProperties: false },
);

/** The log of events, to be read page by page or as a stream. */
export function eventRoutes({ database, inTurn, docsUrl, waitingLimits, ...given }: RouteDeps): Route[] {
  const reads = createEventReads(database, docsUrl, inTurn);
  const deps = { ...given, reads, waiting: createWaiting(waitingLimits), takePage: createCatchUp() };
  return [feedRoute(deps), streamRoute(deps)];
}

function feedRoute({ reads, tail, waiting, closing, authenticate }: Deps): Route {
  return accountRoute({
    method: 'GET',
    path: '/api/v1/events',
    scope: 'events:read',
    summary: 'Read events in their order, waiting for the first one if you like',
    operation: eventOperations.list,
    bodyUse: 'none',
    querySchema: LIST_QUERY,
    async handle({ principal: { accountId, mode }, query, request }) {
      const after = Number(query.after ?? 0);
      const types = query.type === undefined ? null : readTypes(query.type);
      const { limit } = readPage(query);
      const waitMs = Number(query.wait ?? 0) * 1_000;
      const reading = { accountId, mode, after, types, limit, waitMs };
      const { events, latest } = await readWaiting({ reads, tail, waiting }, reading, [
        request.signal,
        closing,
        halfClosedSignal(request.raw),
      ]);
      // A key that was revoked while it waited reads nothing more.
      if (waitMs > 0) await authenticate(request.headers.authorization);
      const readOldest = async () => (await reads.oldest({ accountId, mode })) ?? latest + 1;
      return {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        ...(await writePage({ events, latest }, readOldest)),
      };
    },
  });
}

interface Reading extends ReadWish {
  waitMs: number;
}

interface ReadPart {
  events: readonly WrittenEvent[];
  /** The end of the log that was looked through: where the page is not full, no event up to here that was asked for is missing in it. */
  latest: number;
}

/** Reads; if there is nothing yet, waits for the first event that passes the filter and reads again. */
async function readWaiting(
  { reads, tail, waiting }: Pick<Deps, 'reads' | 'tail' | 'waiting'>,
  { waitMs, ...wish }: Reading,
  ends: AbortSignal[],
): Promise<ReadPart> {
  const { accountId, mode } = wish;
  const endMs = performance.now() + waitMs;
  const readFrom = async (after: number): Promise<ReadPart> => {
    // The end comes before the events: one that is recorded between the two would else be told and not given.
    const latest = await reads.latest({ accountId, mode });
    const events = await reads.list({ ...wish, after });
    return { events, latest: Math.max(latest, events.at(-1)?.sequence ?? 0) };
  };
  let part = await readFrom(wish.after);
  if (waitMs === 0 || part.events.length > 0) return part;
  // Only now: to listen to both costs more than most reads.
  const signal = AbortSignal.any(ends);
  const leave = waiting.take(accountId);
  try {
    let from = wish.after;
    while (part.events.length === 0 && performance.now() < endMs && !signal.aborted) {
      await tail.wait({ accountId, mode, after: from }, Math.max(0, endMs - performance.now()), signal);
      part = await readFrom(from);
      // What other types there were up to here must neither end the wait again nor be looked at again.
      from = Math.max(from, part.latest);
    }
  } finally {
    leave();
  }
  return part;
}

function streamRoute(deps: Deps): Route {
  const { reads, authenticate } = deps;
  return accountRoute({
    method: 'GET',
    path: '/api/v1/events/stream',
    scope: 'events:read',
    summary: 'Read events as they are recorded, by Server-Sent Events',
    operation: eventOperations.stream,
    bodyUse: 'none',
    querySchema: STREAM_QUERY,
    async handle({ principal: { accountId, mode }, query, request }) {
      const types = query.type === undefined ? null : readTypes(query.type);
      const given = readLastEventId(request.headers['last-event-id']) ?? query.after;
      const after = given === undefined ? await reads.latest({ accountId, mode }) : Number(given);
      const { authorization } = request.headers;
      const stillAllowed = async () => isAllowed(authenticate(authorization));
      const ends = AbortSignal.any([deps.closing, halfClosedSignal(request.raw)]);
      const leave = deps.waiting.take(accountId);
      const stream = streamEvents(
        { ...deps, closing: ends },
        { accountId, mode, after, beginsNow: given === undefined, types, stillAllowed },
      );
      return {
        status: 200,
        body: stream.once('close', leave),
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          // A stream lasts until one side goes away, and then nobody waits for another request on its connection.
          connection: 'close',
          // Some proxies gather an answer before they pass it on, unless they are told.
          'x-accel-buffering': 'no',
        },
      };
    },
  });
}

async function isAllowed(authenticated: Promise<unknown>): Promise<boolean> {
  try {
    await authenticated;
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/**
 * A client sends back what it was given last, and nothing, or an empty text, if that was nothing. What is no number of ours
 * is refused: its sender believes that it goes on where it was, and to begin elsewhere would leave out events in silence.
 */
function readLastEventId(header: string | string[] | undefined): string | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && isSequence(header)) return header;
  const fault = { parameter: 'Last-Event-ID', detail: NO_SEQUENCE };
  throw new ApiError('invalid_request', 'The header Last-Event-ID is not valid.', { errors: [fault] });
}

function readTypes(text: string): string[] {
  return text.split(',').map((type) => type.trim());
}
