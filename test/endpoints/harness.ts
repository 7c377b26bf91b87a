import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createResolve, type Resolve } from '../../src/endpoints/address/resolve.ts';
import { createPoster } from '../../src/endpoints/call/poster.ts';
import { createAttempts } from '../../src/endpoints/deliver/attempt.ts';
import { type AttemptRow, listAttempts } from '../../src/endpoints/deliver/attempt-store.ts';
import { type Deliveries, startDeliveries } from '../../src/endpoints/deliver/deliver.ts';
import { mintSecret } from '../../src/endpoints/deliver/sign.ts';
import { type EndpointRow, findEndpoint, insertEndpoint } from '../../src/endpoints/store.ts';
import type { EventType } from '../../src/events/event.ts';
import { appendEvents } from '../../src/events/store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { firstIdOfMs, newId } from '../../src/kernel/ids.ts';
import type { Mode } from '../../src/kernel/principal.ts';
import { createSealer, type Sealer } from '../../src/kernel/sealed.ts';
import type { Database } from '../../src/store/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

export interface TestEndpoint {
  id: string;
  accountId: string;
  mode: Mode;
  secret: string;
}

/** The deliveries on a database of their own, without the rest of the gateway. */
export interface Harness {
  database: Database;
  /** The database's address, for a process that connects by itself. */
  url: string;
  masterKey: string;
  sealer: Sealer;
  accountId: string;
  deliveries: Deliveries;
  addEndpoint(url: string, wish?: EndpointWish): Promise<TestEndpoint>;
  /** Records events of one type in a transaction, and then notifies the deliveries. */
  record(count: number, wish?: EventWish): Promise<void>;
  attempts(endpoint: TestEndpoint): Promise<AttemptRow[]>;
  /** Waits until there are so many attempts, and returns them, oldest first. */
  attemptsOf(endpoint: TestEndpoint, count: number): Promise<AttemptRow[]>;
  endpoint(endpoint: TestEndpoint): Promise<EndpointRow | undefined>;
  /** Makes everything that waits for its next try due now. */
  skipWaits(): Promise<void>;
  waiting(): Promise<number>;
  /** `through`: a database that a test watches or holds up. */
  startNode(through?: Database): Deliveries;
  stop(): Promise<void>;
}

interface EndpointWish {
  accountId?: string;
  mode?: Mode;
  types?: string[];
}

interface EventWish {
  accountId?: string;
  mode?: Mode;
  type?: EventType;
  traceparent?: string;
}

export interface HarnessOptions {
  timeoutMs?: number;
  resolve?: Resolve;
  localEndpoints?: boolean;
  /** Called with each statement outside of a transaction; what it returns is called when the statement has ended. */
  onQuery?(sql: string): () => void;
}

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const { timeoutMs = 15_000, resolve = createResolve(), localEndpoints = true } = options;
  const test = await createTestDatabase();
  const { url, drop } = test;
  const database = watched(test.database, options.onQuery);
  const masterKey = randomBytes(32);
  const sealer = createSealer(masterKey);
  const clock = systemClock;
  const attempts = createAttempts({ poster: createPoster({ resolve, timeoutMs }), sealer, clock, localEndpoints });
  const log = pino({ level: 'silent' });
  const nodes: Deliveries[] = [];
  const startNode = (through = database) => {
    const deps = {
      database: through,
      nodeId: newId(),
      attempts,
      clock,
      docsUrl: () => 'https://gateway.test/docs',
      log,
    };
    const node = startDeliveries(deps);
    nodes.push(node);
    return node;
  };
  const deliveries = startNode();
  const accountId = newId();
  return {
    ...{ database, url, masterKey: masterKey.toString('base64'), sealer, accountId, deliveries, startNode },
    addEndpoint: (url, wish) => addEndpoint({ database, sealer }, url, { accountId, ...wish }),
    async record(count, wish) {
      await recordEvents(database, count, { accountId, ...wish });
      deliveries.nudge();
    },
    attempts: (endpoint) => readAttempts(database, endpoint),
    attemptsOf: (endpoint, count) =>
      until(async () => {
        const rows = await readAttempts(database, endpoint);
        return rows.length >= count ? rows : undefined;
      }),
    endpoint: (endpoint) => findEndpoint(database, endpoint),
    async skipWaits() {
      await database.query('update delivery set next_at = now() where claimed_until is null');
      deliveries.nudge();
    },
    async waiting() {
      const [row] = await database.query<{ count: number }>('select count(*) as count from delivery');
      return row?.count ?? 0;
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop(0)));
      await attempts.close();
      await drop();
    },
  };
}

function watched(database: Database, onQuery: HarnessOptions['onQuery']): Database {
  if (onQuery === undefined) return database;
  return {
    ...database,
    query: <Row>(sql: string, values?: readonly unknown[]) => database.query<Row>(sql, values).finally(onQuery(sql)),
  };
}

async function addEndpoint(
  { database, sealer }: { database: Database; sealer: Sealer },
  url: string,
  { accountId, mode = 'test', types }: EndpointWish & { accountId: string },
): Promise<TestEndpoint> {
  const id = newId();
  const secret = mintSecret();
  const secret_sealed = sealer.seal(secret, id);
  const row = { account_id: accountId, id, mode, url, types: types ?? null, description: null, secret_sealed };
  await insertEndpoint(database, row);
  return { id, accountId, mode, secret };
}

async function recordEvents(
  database: Database,
  count: number,
  { accountId, mode = 'test', type = 'message.delivered', traceparent }: EventWish & { accountId: string },
): Promise<void> {
  const data = { message: { id: 'msg_1', text: 'äöü €' } };
  const draft = { accountId, mode, type, data, traceparent: traceparent ?? null };
  await database.transaction((tx) => appendEvents(tx, new Array(count).fill(draft)));
}

async function readAttempts(database: Database, { accountId, id }: TestEndpoint): Promise<AttemptRow[]> {
  const filter = { eventId: null, outcome: null, before: null, from: firstIdOfMs(0) };
  return (await listAttempts(database, { accountId, id }, filter, 10_000)).reverse();
}
