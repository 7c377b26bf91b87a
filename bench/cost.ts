import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { createGatewayTarget } from './gateway-target.ts';
import { startChild } from './harness/child.ts';
import type { Cleanup } from './harness/cleanup.ts';
import { openEmbeddedStore } from './harness/embedded-store.ts';
import { makeDataDir, startGateway } from './harness/gateway.ts';
import { createGatewayApi } from './harness/gateway-api.ts';
import { closedLoad } from './harness/load.ts';
import { makeLiveAccounts, SENDING_ACCOUNTS } from './harness/platform.ts';
import { postAll } from './harness/post-all.ts';
import { RAISED_LIMITS } from './harness/raised-limits.ts';
import { cpuSeconds } from './harness/usage.ts';
import { waitUntil } from './harness/wait-until.ts';
import { sendMessages } from './send-messages.ts';
import { type Step, statusPost } from './status-posts.ts';

const STEPS: readonly Step[] = ['sent', 'delivered', 'read'];
const POSTERS = 32;
/** How many messages have their statuses posted for each second of a round. */
const MESSAGES_A_SECOND = 1_000;

/** What one item costs, whether or not its caller waits for it. */
export interface CostRow {
  item: string;
  items: number;
  cpuMicros: { gateway: number; database: number };
  walBytes: number;
  /** With indexes, by table. Tables that grew by less than a byte for each item are left out. */
  diskBytes: Record<string, number>;
}

/** Measures what a message and a status cost the gateway, the database and its disk, for the arithmetic of docs/scaling.md. */
export async function benchCost(cleanup: Cleanup, { roundMs, warmUpMs }: { roundMs: number; warmUpMs: number }) {
  const dataDir = await makeDataDir(cleanup);
  const appSecret = randomBytes(16).toString('hex');
  const stub = await startChild(cleanup, 'stub.ts');
  const settings = { ...RAISED_LIMITS, WAYPOST_PROVIDER_URL: stub.origin, WAYPOST_APP_SECRETS: appSecret };
  const gateway = await startGateway(cleanup, dataDir, settings);
  const tenants = await makeLiveAccounts(gateway, SENDING_ACCOUNTS);
  const keys = tenants.map(({ key }) => key);
  const api = createGatewayApi(gateway.origin);
  cleanup.add(() => api.close());
  const store = await openEmbeddedStore(cleanup, dataDir);
  const target = createGatewayTarget(gateway.origin, keys);
  const measure = (item: string, work: () => Promise<number>) => measureCost(store, gateway.pid, item, work);

  await closedLoad(target, 1, SENDING_ACCOUNTS, warmUpMs);
  const messages = await sendMessages(api, tenants, (roundMs / 1_000) * MESSAGES_A_SECOND);
  const posts = STEPS.flatMap((step) => messages.map((message) => statusPost(appSecret, message, step)));
  return [
    await measure('message, 1 a request', async () => (await closedLoad(target, 1, 64, roundMs)).requests),
    await measure('message, 50 a request', async () => (await closedLoad(target, 50, 8, roundMs)).requests * 50),
    await measure('status, 1 a notification', async () => {
      await postAll(gateway.origin, posts, { callers: POSTERS });
      await waitUntil('every status is applied', async () => (await countWaiting(store)) === 0);
      return posts.length;
    }),
  ];
}

export function printCost(rows: readonly CostRow[]): void {
  for (const { item, items, cpuMicros, walBytes, diskBytes } of rows) {
    const disk = Object.values(diskBytes).reduce((sum, bytes) => sum + bytes, 0);
    const tables = Object.entries(diskBytes).map(([table, bytes]) => `${table} ${Math.round(bytes)}`);
    console.log(`${item} (${items}):
  processor: gateway ${cpuMicros.gateway.toFixed(0)} µs, database ${cpuMicros.database.toFixed(0)} µs
  WAL ${walBytes.toFixed(0)} bytes, disk ${disk.toFixed(0)} bytes (${tables.join(', ')})`);
  }
}

async function measureCost(store: Client, pid: number, item: string, work: () => Promise<number>): Promise<CostRow> {
  // The first change of a page after a checkpoint logs the whole page. So each measure begins with a checkpoint.
  await store.query('checkpoint');
  const before = { cpu: cpuSeconds(pid), wal: await walPosition(store), disk: await tableSizes(store) };
  const items = await work();
  const after = { cpu: cpuSeconds(pid), wal: await walPosition(store), disk: await tableSizes(store) };
  const grown = [...after.disk].map(
    ([table, bytes]) => [table, (bytes - (before.disk.get(table) ?? 0)) / items] as const,
  );
  return {
    ...{ item, items },
    cpuMicros: {
      gateway: ((after.cpu.process - before.cpu.process) / items) * 1e6,
      database: ((after.cpu.database - before.cpu.database) / items) * 1e6,
    },
    walBytes: (after.wal - before.wal) / items,
    diskBytes: Object.fromEntries(grown.filter(([, bytes]) => bytes >= 1)),
  };
}

async function walPosition(store: Client): Promise<number> {
  const { rows } = await store.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0' as bytes`);
  return Number(rows[0]?.bytes);
}

/** The sizes include indexes and what is stored out of line. The weeks of a table count as the table. */
async function tableSizes(store: Client): Promise<Map<string, number>> {
  const { rows } = await store.query<{ name: string; bytes: string }>(`
    select coalesce(p.relname, c.relname) as name, sum(pg_total_relation_size(c.oid)) as bytes
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    group by 1`);
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

async function countWaiting(store: Client): Promise<number> {
  const { rows } = await store.query<{ count: string }>(
    `select (select count(*) from notification where state = 'waiting') + (select count(*) from notification_pack) as count`,
  );
  return Number(rows[0]?.count);
}
