import { setTimeout as wait } from 'node:timers/promises';
import type { FaultKind, Plan } from '../plan.ts';
import { signalIfThere } from '../processes/signal.ts';
import type { World } from './world.ts';

/** How a fault begins, and how it is mended if it does not end by itself. */
interface Break {
  begin(world: World, slot: number): unknown;
  mend?(world: World, slot: number): unknown;
}

const BREAKS: Record<FaultKind, Break> = {
  kill_gateway: {
    begin: ({ gateways }, slot) => gateways[slot]?.kill(),
    mend: startGateway,
  },
  kill_while_stalled: {
    begin: ({ proxy }) => proxy.stall(),
    async mend(world, slot) {
      await world.gateways[slot]?.kill();
      world.proxy.restore();
      await startGateway(world, slot);
    },
  },
  pause_gateway: {
    begin: ({ gateways }, slot) => gateways[slot]?.signal('SIGSTOP'),
    mend: ({ gateways }, slot) => gateways[slot]?.signal('SIGCONT'),
  },
  clock_jump: {
    begin: ({ gateways }, slot) => gateways[slot]?.signal('SIGUSR2'),
    mend: ({ gateways }, slot) => gateways[slot]?.signal('SIGUSR2'),
  },
  kill_database: { begin: ({ postgres }) => postgres.kill() },
  restart_database: { begin: ({ postgres }) => postgres.shutDown() },
  crash_backend: { begin: crashBackend },
  drop_connections: { begin: dropConnections },
  cut_database: { begin: ({ proxy }) => proxy.cut(), mend: ({ proxy }) => proxy.restore() },
  stall_database: { begin: ({ proxy }) => proxy.stall(), mend: ({ proxy }) => proxy.restore() },
  full_disk: { begin: ({ postgres }) => postgres.fillDisk(), mend: ({ postgres }) => postgres.freeDisk() },
  lock_rows: { begin: ({ rowLocks }) => rowLocks.hold(), mend: ({ rowLocks }) => rowLocks.release() },
  kill_sandbox: { begin: ({ sandbox }) => sandbox.kill(), mend: ({ sandbox }) => sandbox.start() },
  pause_sandbox: {
    begin: ({ sandbox }) => sandbox.signal('SIGSTOP'),
    mend: ({ sandbox }) => sandbox.signal('SIGCONT'),
  },
  provider_away: {
    async begin({ provider, gateways }) {
      for (const gateway of gateways) await gateway.started();
      await provider.goAway();
    },
    mend: ({ provider }) => provider.comeBack(),
  },
  kill_receiver: { begin: ({ receiver }) => receiver.kill(), mend: ({ receiver }) => receiver.start() },
  pause_receiver: {
    begin: ({ receiver }) => receiver.signal('SIGSTOP'),
    mend: ({ receiver }) => receiver.signal('SIGCONT'),
  },
};

/**
 * If there were no sandbox when a gateway starts, the gateway would start one of its own, and then the gate could not come back to its
 * port.
 */
async function startGateway({ provider, gateways }: World, slot: number): Promise<void> {
  await provider.present();
  await gateways[slot]?.start();
}

/** Makes each fault of a plan at its time. Returns when all are mended. */
export async function injectFaults(world: World, { faults }: Plan): Promise<void> {
  const all = await Promise.allSettled(
    faults.map(async ({ kind, atMs, forMs, slot }) => {
      await wait(atMs);
      await BREAKS[kind].begin(world, slot);
      await wait(forMs);
      await BREAKS[kind].mend?.(world, slot);
    }),
  );
  // Throws only now: a fault that was still to come would break the server of the next run.
  for (const one of all) if (one.status === 'rejected') throw one.reason;
}

/** Mends what two faults at once may have left broken, and starts what is not running. */
export async function mendAll({
  gateways,
  proxy,
  postgres,
  rowLocks,
  provider,
  sandbox,
  receiver,
}: World): Promise<void> {
  proxy.restore();
  postgres.freeDisk();
  rowLocks.releaseAll();
  for (const process of [...gateways, sandbox, receiver]) process.signal('SIGCONT');
  await provider.comeBack();
  await Promise.all([sandbox.start(), receiver.start(), ...gateways.map((slot) => slot.start())]);
}

/** Kills one process of the server. The server then ends all others and recovers, because shared memory may be damaged. */
async function crashBackend({ db }: World): Promise<void> {
  const [row] = await db.database
    .query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() limit 1`,
    )
    .catch(() => []); // The database is away by another fault.
  if (row !== undefined) signalIfThere(row.pid, 'SIGKILL');
}

async function dropConnections({ db }: World): Promise<void> {
  await db.database
    .query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    .catch(() => []); // The database is away by another fault.
}
