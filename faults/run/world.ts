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
import { createSandboxSlot, type SandboxSlot } from '../processes/sandbox-slot.ts';
import { LIVE_NUMBER_ID, makeAccounts, type RunAccount } from './accounts.ts';
import type { Ground } from './ground.ts';

const SETTINGS = {
  // Short enough that a run sees timeouts, long enough for a retry of what was throttled.
  WAYPOST_PROVIDER_TIMEOUT_MS: '1500',
  WAYPOST_SEND_DEADLINE_MS: '6000',
  WAYPOST_LOG_LEVEL: 'warn',
  // The same for all, as behind a balancer: it stands in answers and events.
  WAYPOST_PUBLIC_URL: 'http://waypost.example',
  WAYPOST_LOCAL_ENDPOINTS: 'on',
};

/** Everything of one run. */
export interface World {
  postgres: Postgres;
  db: TestDatabase;
  proxy: DatabaseProxy;
  provider: ProviderGate;
  callback: CallbackGate;
  sandbox: SandboxSlot;
  receiver: ReceiverSlot;
  gateways: GatewaySlot[];
  accounts: Record<'test' | 'live', RunAccount>;
  /** The gateway that a balancer would choose next; undefined: none is up. */
  nextGateway(): string | undefined;
  /** The gateways that ended by themselves: nobody starts them again, so the run need not wait for what they had. */
  deaths(): string[];
  close(): Promise<void>;
}

/** Starts the processes of a run with a database of its own. */
export async function startWorld(
  ground: Ground,
  { seed, gateways: count, clockShiftMs, latencyMs }: Plan,
): Promise<World> {
  const undo: (() => unknown)[] = [];
  const close = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    await ground.postgres.whenUp();
    const db = await createTestDatabase();
    undo.push(() => ground.postgres.whenUp().then(db.drop));
    const proxy = await startDatabaseProxy(db.url);
    undo.push(() => proxy.close());
    // A run that did not come to rest leaves it full.
    undo.push(() => ground.postgres.freeDisk());
    const secrets = { app: secret(), sandbox: secret(), platform: `wp_root_${secret()}` };
    const provider = await startProviderGate(seed, await ground.takePort(), () => sandbox.url());
    undo.push(() => provider.close());
    const gateways: GatewaySlot[] = [];
    let turn = 0;
    const nextGateway = () => {
      const urls = gateways.flatMap((slot) => slot.url() ?? []);
      return urls[turn++ % Math.max(1, urls.length)];
    };
    const secretFor = (body: string) =>
      body.includes(`"phone_number_id":"${LIVE_NUMBER_ID}"`) ? secrets.app : secrets.sandbox;
    const callback = await startCallbackGate({ seed, nextGateway, secretFor });
    undo.push(() => callback.close());
    const sandbox = createSandboxSlot({
      ...ground.compiled,
      WAYPOST_SANDBOX_APP_SECRET: secrets.sandbox,
      WAYPOST_SANDBOX_LATENCY_MS: String(latencyMs),
      WAYPOST_CALLBACK_URL: callback.url,
    });
    undo.push(() => sandbox.kill());
    const file = join(ground.dir, `received-${seed}.jsonl`);
    await writeFile(file, '');
    const receiver = createReceiverSlot(file, await ground.takePort(), seed);
    undo.push(() => receiver.kill());
    const env = {
      ...settingsOf(secrets, provider, clockShiftMs),
      ...ground.compiled,
      DATABASE_URL: proxy.url,
    };
    for (let slot = 0; slot < count; slot++) gateways.push(await makeSlot(ground, slot, env));
    undo.push(() => Promise.all(gateways.map((slot) => slot.kill())));
    await Promise.all([sandbox.start(), receiver.start(), ...gateways.map((slot) => slot.start())]);
    const accounts = await makeAccounts({ url: nextGateway() ?? '', key: secrets.platform }, receiver.url());
    const { postgres } = ground;
    const deaths = () => gateways.flatMap((slot) => slot.death() ?? []);
    return {
      postgres,
      db,
      proxy,
      provider,
      callback,
      sandbox,
      receiver,
      gateways,
      accounts,
      nextGateway,
      deaths,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function settingsOf(
  secrets: { app: string; sandbox: string; platform: string },
  provider: ProviderGate,
  clockShiftMs: number,
): Record<string, string> {
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
