import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { type CallbackGate, startCallbackGate } from '../gates/callback-gate.ts';
import { type ProviderGate, startProviderGate } from '../gates/provider-gate.ts';
import type { Plan } from '../plan.ts';
import { createGatewaySlot, type GatewaySlot } from '../processes/gateway-slot.ts';
import type { Postgres } from '../processes/postgres.ts';
import { createReceiverSlot, type ReceiverSlot } from '../processes/receiver-slot.ts';
import { createRowLocks, type RowLocks } from '../processes/row-locks.ts';
import { createSandboxSlot, type SandboxSlot } from '../processes/sandbox-slot.ts';
import { createDraw } from '../random.ts';
import { LIVE_NUMBER_ID, makeAccounts, type RunAccount } from './accounts.ts';
import type { Ground } from './ground.ts';

const SETTINGS = {
  // Short enough that a run has timeouts, and long enough that a throttled message can be repeated.
  WAYPOST_PROVIDER_TIMEOUT_MS: '1500',
  WAYPOST_SEND_DEADLINE_MS: '6000',
  WAYPOST_LOG_LEVEL: 'warn',
  // The same for all gateways, as behind a balancer: answers and events contain it.
  WAYPOST_PUBLIC_URL: 'http://waypost.example',
  WAYPOST_LOCAL_ENDPOINTS: 'on',
};

/** Everything that one run has started. */
export interface World {
  postgres: Postgres;
  db: TestDatabase;
  proxy: DatabaseProxy;
  rowLocks: RowLocks;
  provider: ProviderGate;
  callback: CallbackGate;
  sandbox: SandboxSlot;
  receiver: ReceiverSlot;
  gateways: GatewaySlot[];
  accounts: Record<'test' | 'live', RunAccount>;
  /** The gateway that a balancer would choose next; undefined if none is up. */
  nextGateway(): string | undefined;
  /** The gateways that ended by themselves. Nobody starts them again, so the run need not wait for their work. */
  deaths(): string[];
  close(): Promise<void>;
}

type Undo = (() => unknown)[];

interface Secrets {
  app: string;
  sandbox: string;
  platform: string;
}

/** Starts the processes of a run with a database of its own. */
export async function startWorld(ground: Ground, plan: Plan): Promise<World> {
  const undo: Undo = [];
  const close = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    return { ...(await startParts(ground, plan, undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(ground: Ground, plan: Plan, undo: Undo): Promise<Omit<World, 'close'>> {
  const { postgres } = ground;
  const { seed } = plan;
  const { db, proxy } = await startDatabase(postgres, undo);
  const rowLocks = createRowLocks(db.database, createDraw(seed, 'row locks'));
  undo.push(() => rowLocks.releaseAll());
  const secrets = { app: secret(), sandbox: secret(), platform: `wp_root_${secret()}` };
  const provider = await startProviderGate(seed, await ground.takePort(), () => sandbox.url());
  undo.push(() => provider.close());
  const gateways: GatewaySlot[] = [];
  const nextGateway = roundRobin(gateways);
  const callback = await startCallbackGate({ seed, nextGateway, secretFor: (body) => secretFor(body, secrets) });
  undo.push(() => callback.close());
  const sandbox = createSandboxSlot({
    ...ground.compiled,
    WAYPOST_SANDBOX_APP_SECRET: secrets.sandbox,
    WAYPOST_SANDBOX_LATENCY_MS: String(plan.latencyMs),
    WAYPOST_CALLBACK_URL: callback.url,
  });
  undo.push(() => sandbox.kill());
  const receiver = await makeReceiver(ground, seed);
  undo.push(() => receiver.kill());
  const settings = settingsOf(secrets, provider, plan.clockShiftMs);
  const env = { ...settings, ...ground.compiled, DATABASE_URL: proxy.url };
  for (let slot = 0; slot < plan.gateways; slot++) gateways.push(await makeSlot(ground, slot, env));
  undo.push(() => Promise.all(gateways.map((slot) => slot.kill())));
  await Promise.all([sandbox.start(), receiver.start(), ...gateways.map((slot) => slot.start())]);
  const accounts = await makeAccounts({ url: nextGateway() ?? '', key: secrets.platform }, receiver.url());
  const deaths = () => gateways.flatMap((slot) => slot.death() ?? []);
  return {
    postgres,
    db,
    proxy,
    rowLocks,
    provider,
    callback,
    sandbox,
    receiver,
    gateways,
    accounts,
    nextGateway,
    deaths,
  };
}

async function startDatabase(postgres: Postgres, undo: Undo): Promise<{ db: TestDatabase; proxy: DatabaseProxy }> {
  await postgres.whenUp();
  const db = await createTestDatabase();
  undo.push(() => postgres.whenUp().then(db.drop));
  const proxy = await startDatabaseProxy(db.url);
  undo.push(() => proxy.close());
  // A run that did not come to rest leaves the disk full.
  undo.push(() => postgres.freeDisk());
  return { db, proxy };
}

function roundRobin(gateways: readonly GatewaySlot[]): () => string | undefined {
  let next = 0;
  return () => {
    const urls = gateways.flatMap((slot) => slot.url() ?? []);
    return urls[next++ % Math.max(1, urls.length)];
  };
}

function secretFor(body: string, { app, sandbox }: Secrets): string {
  return body.includes(`"phone_number_id":"${LIVE_NUMBER_ID}"`) ? app : sandbox;
}

async function makeReceiver({ dir, takePort }: Ground, seed: number): Promise<ReceiverSlot> {
  const file = join(dir, `received-${seed}.jsonl`);
  await writeFile(file, '');
  return createReceiverSlot(file, await takePort(), seed);
}

function settingsOf(secrets: Secrets, provider: ProviderGate, clockShiftMs: number): Record<string, string> {
  return {
    ...SETTINGS,
    WAYPOST_SANDBOX_PORT: String(provider.port),
    WAYPOST_PROVIDER_URL: provider.url,
    WAYPOST_SANDBOX_APP_SECRET: secrets.sandbox,
    WAYPOST_APP_SECRETS: secrets.app,
    WAYPOST_PLATFORM_KEYS: secrets.platform,
    WAYPOST_MASTER_KEY: randomBytes(32).toString('base64'),
    FAULTS_CLOCK_SHIFT_MS: String(clockShiftMs),
  };
}

async function makeSlot({ dir, takePort }: Ground, slot: number, env: Record<string, string>): Promise<GatewaySlot> {
  const dataDir = join(dir, `gateway-${slot}`);
  await mkdir(dataDir, { recursive: true });
  return createGatewaySlot(dataDir, await takePort(), env);
}

function secret(): string {
  return randomBytes(24).toString('hex');
}
