import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { until } from '../support/until.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

const PER_SECOND = 80;
/** Turns of a tenth of a second may be saved up, and the provider's clock is not ours. */
const AHEAD_MAX = PER_SECOND * 0.25;
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
    return { sends, endMs: Date.now() };
  });
  const answers = await Promise.all(sending.sends);
  for (const { json } of answers) assert.equal(json.accepted_count, 50);
  const times = world.provider.taken.map(({ atMs }) => atMs).sort((a, b) => a - b);
  assert.equal(times.length, 250);
  // How many messages came too early. If the machine stands still all are late, and it is no fault that they then come in a burst.
  const ahead = times.map((atMs, place) => place + 1 - ((atMs - sending.endMs) * PER_SECOND) / 1_000);
  t.diagnostic(`at most ${Math.max(...ahead).toFixed(1)} ahead of ${PER_SECOND} a second`);
  assert.ok(Math.max(...ahead) <= AHEAD_MAX, `${Math.max(...ahead)}`);
  const { data } = (await world.call('GET', '/api/v1/messages?limit=100')).json;
  assert.deepEqual(new Set(data.map(({ status }: { status: string }) => status)), new Set(['accepted']));
});
