import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM_ENV } from '../support/program-env.ts';
import { until } from '../support/until.ts';
import { type Harness, startHarness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const EVENTS = 60;
const CONNECTIONS = 'select 1 from pg_stat_activity where datname = current_database() and application_name = $1';

describe('a node that is killed', () => {
  let harness: Harness;
  let receiver: Receiver;
  const children: ChildProcess[] = [];
  /** How the receiver treats a request. */
  let mood: 'hang' | 'fail' | 'take' = 'take';
  const taken = new Set<string>();
  before(async () => {
    harness = await startHarness();
    await harness.deliveries.stop(0);
    receiver = await startReceiver((response, place) => {
      if (mood === 'hang') return;
      if (mood === 'take') taken.add(receiver.received[place]?.headers['webhook-id'] ?? '');
      response.writeHead(mood === 'take' ? 204 : 500).end();
    });
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await harness.stop();
    await receiver.close();
  });

  function urlOf(name: string): string {
    const url = new URL(harness.url);
    url.searchParams.set('application_name', name);
    return url.href;
  }

  async function startNode(): Promise<{ kill(): Promise<void> }> {
    const name = `node-${children.length}`;
    const child = spawn(process.execPath, [fileURLToPath(new URL('delivering-process.ts', import.meta.url))], {
      env: { ...PROGRAM_ENV, DATABASE_URL: urlOf(name), MASTER_KEY: harness.masterKey },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return {
      async kill() {
        child.kill('SIGKILL');
        await gone;
        // The last statement of the killed process may still be carried out, and claim deliveries for a whole lease.
        await until(async () => (await harness.database.query(CONNECTIONS, [name])).length === 0);
      },
    };
  }
  const countOf = async (condition: string) =>
    (await harness.database.query<{ count: number }>(`select count(*) as count from delivery where ${condition}`))[0]
      ?.count;

  it('loses no event, whenever it dies: during attempts, between them, or with events claimed ahead', async () => {
    await harness.addEndpoint(receiver.url);

    const taking = await startNode();
    await harness.record(EVENTS);
    await until(() => taken.size >= EVENTS / 4);
    mood = 'hang';
    await harness.record(EVENTS);
    await until(async () => ((await countOf('claimed_until > now()')) ?? 0) > 0);
    await taking.kill();
    assert.ok(((await countOf('true')) ?? 0) > 0);

    // The leases go by the database's clock. Here they end at once.
    await harness.database.query('update delivery set claimed_until = now()');
    mood = 'fail';
    const failing = await startNode();
    await until(async () => ((await countOf('attempts > 0')) ?? 0) > 0);
    await failing.kill();

    await harness.database.query('update delivery set claimed_until = null');
    mood = 'take';
    await startNode();
    await until(async () => {
      await harness.skipWaits();
      return (await countOf('true')) === 0;
    });
    const events = await harness.database.query<{ id: string }>('select id from event');
    assert.equal(events.length, 2 * EVENTS);
    assert.equal(taken.size, 2 * EVENTS);
  });
});
