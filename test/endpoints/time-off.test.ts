import assert from 'node:assert/strict';
import { after, it, type TestContext } from 'node:test';
import { newId } from '../../src/kernel/ids.ts';
import { restingTransaction } from '../support/resting-transaction.ts';
import { until } from '../support/until.ts';
import { startHarness } from './harness.ts';
import { startReceiver } from './receiver.ts';

const harness = await startHarness();
const receiver = await startReceiver((response) => response.writeHead(500).end());
const { database } = harness;
after(async () => {
  await harness.stop();
  await receiver.close();
});

it('an endpoint is not disabled for days in which no gateway ran', async (t) => {
  const endpoint = await failingFor('5 days 1 hour');
  const well = await harness.addEndpoint(receiver.url, { accountId: endpoint.accountId, types: ['message.read'] });
  await beOff('5 days');
  startNode(t);
  await until(async () => (await hoursFailing(endpoint.id)) === 1);
  assert.equal(await hoursFailing(well.id), undefined, 'what does not fail has no days');
  await tryAgain(endpoint);
  startNode(t);
  await tryAgain(endpoint);
  assert.equal((await harness.endpoint(endpoint))?.enabled, true);
  assert.equal(await hoursFailing(endpoint.id), 1, 'the next node that starts moves nothing again');
});

it('the days before and after such a time are added up', async (t) => {
  const endpoint = await failingFor('9 days 1 hour');
  await beOff('4 days');
  startNode(t);
  await until(async () => (await hoursFailing(endpoint.id)) === 5 * 24 + 1);
  await harness.record(1, endpoint);
  await until(async () => (await harness.endpoint(endpoint))?.disabled_reason === 'failing');
});

it('a restart takes no time', async (t) => {
  const { id } = await failingFor('5 days');
  const since = () => database.query('select failing_since from endpoint where id = $1', [id]);
  const before = await since();
  await beOff('9 minutes');
  startNode(t);
  await until(isNoted);
  assert.deepEqual(await since(), before);
});

it('rows that somebody keeps locked hold up no deliveries', async (t) => {
  const locked = await failingFor('3 days');
  const other = await failingFor('3 days');
  await beOff('1 day');
  await harness.deliveries.stop(0);
  await restingTransaction(database, async (tx) => {
    await tx.query('select 1 from endpoint where id = $1 for update', [locked.id]);
    const node = harness.startNode();
    await until(async () => (await hoursFailing(other.id)) === 2 * 24);
    await node.stop(0);
    await tx.query('select 1 from delivering for update');
    startNode(t);
    await tryAgain(other);
  });
  assert.equal(await hoursFailing(locked.id), 3 * 24);
});

/** A further node, which ends with the test. */
function startNode(t: TestContext): void {
  const node = harness.startNode();
  t.after(() => node.stop(0));
}

/** An endpoint of an account of its own that has failed since then, and fails on. */
async function failingFor(since: string) {
  const endpoint = await harness.addEndpoint(receiver.url, { accountId: newId() });
  await database.query('update endpoint set failing_since = now() - $2::interval where id = $1', [endpoint.id, since]);
  return endpoint;
}

/** As if no node had run for so long. The one that runs meanwhile has just noted that it does. */
async function beOff(time: string): Promise<void> {
  await until(isNoted);
  await database.query('update delivering set seen_at = now() - $1::interval', [time]);
}

async function isNoted(): Promise<boolean> {
  const rows = await database.query("select 1 from delivering where seen_at > now() - interval '1 minute'");
  return rows.length > 0;
}

async function tryAgain(endpoint: Awaited<ReturnType<typeof failingFor>>): Promise<void> {
  const { length } = await harness.attempts(endpoint);
  await harness.record(1, endpoint);
  await harness.attemptsOf(endpoint, length + 1);
}

async function hoursFailing(id: string): Promise<number | undefined> {
  const sql =
    'select round(extract(epoch from now() - failing_since) / 3600)::integer as hours from endpoint where id = $1';
  return (await database.query<{ hours: number | null }>(sql, [id]))[0]?.hours ?? undefined;
}
