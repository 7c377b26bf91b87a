import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { until } from '../support/until.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

const PER_SECOND = 80;
/** Turns of a tenth of a second may be saved up, and the provider's clock is not ours. */
const AHEAD_MAX = PER_SECOND * 0.25;
/** For this long nothing can go out, while the turns pass. */
const HELD_UP_MS = 2_000;
const SENDS = 5;
const RECIPIENTS = 50;

let world: LiveWorld;
before(async () => {
  world = await startLiveWorld();
});
after(() => world.stop());
afterEach(() => {
  world.provider.onMessage = () => undefined;
});

let numbers = 0;
const phones = (count: number) => Array.from({ length: count }, () => `+4477${String(++numbers).padStart(8, '0')}`);
const pass = async (ms: number, beganMs = performance.now()) => until(() => performance.now() - beganMs > ms);

/** Sends more than can go out meanwhile, and waits until some of it has. */
async function sendMany(): Promise<{ accepted: Promise<number[]> }> {
  const from = await world.connect(PER_SECOND);
  await world.sendText(from, phones(1));
  world.provider.taken.length = 0;
  const sends = Array.from({ length: SENDS }, () => world.sendText(from, phones(RECIPIENTS)));
  const accepted = Promise.all(sends).then((answers) => answers.map(({ json }) => json.accepted_count));
  await until(() => world.provider.taken.length > 20);
  return { accepted };
}

/** How many messages the provider had got at most, from that time on, beyond those that the throughput allows. */
function aheadSince(endMs: number): number {
  const times = world.provider.taken.map(({ atMs }) => atMs).filter((atMs) => atMs >= endMs);
  assert.ok(times.length > 100, `${times.length} messages`);
  times.sort((a, b) => a - b);
  return Math.max(...times.map((atMs, place) => place + 1 - ((atMs - endMs) * PER_SECOND) / 1_000));
}

it('turns whose commit takes seconds are not all used in the moment after it', async (t) => {
  const { accepted } = await sendMany();
  const endMs = await world.gateway.database.transaction(async (tx) => {
    await tx.query('lock table message in share mode');
    await pass(HELD_UP_MS);
    return Date.now();
  });
  assert.deepEqual(await accepted, Array(SENDS).fill(RECIPIENTS));
  const ahead = aheadSince(endMs);
  t.diagnostic(`at most ${ahead.toFixed(1)} ahead of ${PER_SECOND} a second`);
  assert.ok(ahead <= AHEAD_MAX, `${ahead}`);
});

it('turns that pass while the provider answers nobody are not all used in the moment when it does', async (t) => {
  const { accepted } = await sendMany();
  const release = world.provider.hold();
  await pass(HELD_UP_MS);
  const endMs = Date.now();
  release();
  assert.deepEqual(await accepted, Array(SENDS).fill(RECIPIENTS));
  const ahead = aheadSince(endMs);
  t.diagnostic(`at most ${ahead.toFixed(1)} ahead of ${PER_SECOND} a second`);
  assert.ok(ahead <= AHEAD_MAX, `${ahead}`);
});

it('a first commit that takes seconds does not make one burst of the turns that passed meanwhile', async (t) => {
  const from = await world.connect(PER_SECOND);
  await world.sendText(from, phones(1));
  world.provider.taken.length = 0;
  const sending = await world.gateway.database.transaction(async (tx) => {
    await tx.query('lock table request in share mode');
    const startMs = performance.now();
    const sends = Array.from({ length: 5 }, () => world.sendText(from, phones(50)));
    await until(() => performance.now() - startMs > HELD_UP_MS);
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
