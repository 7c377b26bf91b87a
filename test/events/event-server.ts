import { pino } from 'pino';
import type { EventDraft, EventType } from '../../src/events/event.ts';
import { eventRoutes } from '../../src/events/routes.ts';
import { appendEvents } from '../../src/events/store.ts';
import { createTail, type Tail } from '../../src/events/tail.ts';
import { createRateLimits } from '../../src/http/rate-limit.ts';
import { createServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Mode } from '../../src/kernel/principal.ts';
import { createReadsInTurn } from '../../src/kernel/reads-in-turn.ts';
import type { RoomLimits } from '../../src/kernel/room.ts';
import type { Database } from '../../src/store/database.ts';
import { countStatements } from '../support/count-statements.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { TestAnswer } from '../support/gateway.ts';
import { createMadeUpKeys, type KeyWish } from '../support/made-up-keys.ts';

const ANSWERED_WITHIN_MS = 120_000;

/**
 * The feed and the stream over real HTTP on a real database, without the rest of a gateway. The test itself records the events and makes
 * the keys.
 */
export interface EventServer extends Pick<TestDatabase, 'database' | 'connection'> {
  url: string;
  accountId: string;
  key: string;
  createKey(wish?: KeyWish): string;
  revokeKey(key: string): void;
  /** Records so many events, of these types in turn, in one transaction. */
  record(count: number, wish?: RecordWish): Promise<void>;
  get(path: string, options?: { key?: string | null }): Promise<TestAnswer>;
  /** How many feeds and streams wait for an event at this moment. */
  waiting(): number;
  /** How many statements the feeds and streams have run so far. */
  asked(): number;
  /** How many connections are open. */
  connections(): Promise<number>;
  /** Does what the process does first when it stops. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

interface RecordWish {
  accountId?: string;
  mode?: Mode;
  types?: EventType[];
  /** A text in the event's data, to make it large. */
  text?: string;
}

interface Settings {
  heartbeatMs?: number;
  stalledMs?: number;
  waitingLimits?: RoomLimits;
  /** What looks at the keys of those who wait, once they were let in. */
  authenticate?(): Promise<unknown>;
}

export async function startEventServer(settings: Settings = {}): Promise<EventServer> {
  const { database, connection, drop } = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const { tail, waiting } = countWaiting(createTail(database, log));
  const { store, statements } = countStatements(database);
  const closing = new AbortController();
  const { authenticate, make, revoke } = createMadeUpKeys();
  const docsUrl = () => 'http://127.0.0.1/docs/errors';
  const inTurn = createReadsInTurn({ atOnceMax: () => 5, waitMs: 10_000, clock: systemClock });
  const watched = { database: store, inTurn, tail };
  const routes = eventRoutes({ ...watched, docsUrl, closing: closing.signal, authenticate, ...settings });
  const rateLimits = createRateLimits({ requests: 1e6, recipients: 1e6 }, systemClock);
  const server = createServer({ authenticate, rateLimits, docsUrl, accepting: () => true, log, routes });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

  const accountId = newId();
  const createKey = (wish?: KeyWish) => make({ accountId, ...wish }).key;
  const key = createKey();
  const drain = async () => {
    closing.abort();
    // As the process does it: a connection that gets its answer now must not stay open for as long as one that is kept alive may.
    server.server.keepAliveTimeout = 1;
    await server.close();
  };
  return {
    database,
    connection,
    url,
    accountId,
    key,
    createKey,
    revokeKey: revoke,
    record: (count, wish) => recordEvents(database, count, { accountId, ...wish }),
    async get(path, { key: given = key } = {}) {
      const headers = given === null ? {} : { authorization: `Bearer ${given}` };
      // A stream that should have been refused never ends.
      const answer = await fetch(url + path, { headers, signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) };
    },
    waiting,
    asked: statements,
    connections: () => new Promise((resolve) => server.server.getConnections((_, count) => resolve(count))),
    drain,
    async stop() {
      await drain();
      await drop();
    },
  };
}

function countWaiting({ nudge, wait }: Tail): { tail: Tail; waiting(): number } {
  let waiting = 0;
  const tail: Tail = {
    nudge,
    wait: (...asked) => {
      waiting++;
      return wait(...asked).finally(() => waiting--);
    },
  };
  return { tail, waiting: () => waiting };
}

export async function recordEvents(
  store: Database,
  count: number,
  { accountId, mode = 'test', types = ['message.sent'], text = '' }: RecordWish & { accountId: string },
): Promise<void> {
  const drafts = Array.from({ length: count }, (_, place): EventDraft => {
    const type = types[place % types.length] ?? 'message.sent';
    return { accountId, mode, type, data: { message: { place, text } }, traceparent: null };
  });
  await store.transaction((tx) => appendEvents(tx, drafts));
}
