import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { until } from '../support/until.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

const PER_SECOND = 80;
/** A tenth of a second may be saved up, and a busy machine holds back some more. In one burst would be those of two seconds. */
const IN_A_SECOND_MAX = PER_SECOND * 1.6;
const COMMIT_MS = 2_000;

let world: LiveWorld;
before(async () => {
  world = await startLiveWorld();
});
after(() => world.stop());

let numbers = 0;
const phones = (count: number) => Array.from({ length: count }, () => `+4477${String(++numbers).padStart(8, '0')}`);

it('a first commit that takes seconds does not make one burst of the turns that passed meanwhile', async (t) => {
  const from = await world.connect(PER_SECOND);
  await world.sendText(from, phones(1));
  world.provider.taken.length = 0;
  const sending = await world.gateway.database.transaction(async (tx) => {
    await tx.query('lock table request in share mode');
    const startMs = performance.now();
    const sends = Array.from({ length: 5 }, () => world.sendText(from, phones(50)));
    await until(() => performance.now() - startMs > COMMIT_MS);
    return { sends };
  });
  const answers = await Promise.all(sending.sends);
  for (const { json } of answers) assert.equal(json.accepted_count, 50);
  const times = world.provider.taken.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const counts = times.map((fromMs) => times.filter((at) => at >= fromMs && at < fromMs + 1_000).length);
  t.diagnostic(`at most ${Math.max(...counts)} in a second of ${PER_SECOND}`);
  assert.equal(times.length, 250);
  assert.ok(Math.max(...counts) <= IN_A_SECOND_MAX, `${Math.max(...counts)}`);
  const { data } = (await world.call('GET', '/api/v1/messages?limit=100')).json;
  assert.deepEqual(new Set(data.map(({ status }: { status: string }) => status)), new Set(['accepted']));
});
