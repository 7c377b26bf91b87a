import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestAnswer } from '../support/gateway.ts';
import { type ProxiedDatabase, startProxiedDatabase } from '../support/proxied-database.ts';
import { until } from '../support/until.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

const PER_SECOND = 2;
/** A suspended account is stopped everywhere within this time. */
const STOPPED_MS = 2_000;

/** The turn of the second message comes meanwhile. */
const AWAY_MS = 700;

let db: ProxiedDatabase;
let world: LiveWorld;
let from: string;
before(async () => {
  db = await startProxiedDatabase();
  world = await startLiveWorld({}, db);
});
after(() => world.stop());
beforeEach(async () => {
  from = await world.connect(PER_SECOND);
  world.provider.taken.length = 0;
  world.provider.onMessage = () => undefined;
});

let numbers = 0;
const phones = (count: number) => Array.from({ length: count }, () => `+4477009${String(++numbers).padStart(5, '0')}`);
const platform = (method: string, path: string, body?: unknown) =>
  world.gateway.call(method, `/platform/v1/${path}`, { key: world.gateway.platformKey, body });
const codesOf = ({ json }: TestAnswer): Map<string, number> => {
  const entries: { error?: { code: string } }[] = json.results;
  const byCode = Map.groupBy(entries, ({ error }) => error?.code ?? 'accepted');
  return new Map([...byCode].map(([code, { length }]) => [code, length]));
};
/** Sends to so many people. Resolves when one message was transmitted and the others wait. */
async function sendAndWait(count: number): Promise<{ answer: Promise<TestAnswer> }> {
  const answer = world.sendText(from, phones(count));
  await until(() => world.provider.taken.length > 0);
  return { answer };
}

const isReady = async () => (await world.gateway.call('GET', '/readyz')).status === 200;

describe('a message that waits for its turn', () => {
  it('goes out when the database is back that was away when it came', async () => {
    const { answer } = await sendAndWait(3);
    const cutMs = performance.now();
    db.proxy.cut();
    await until(() => performance.now() - cutMs > AWAY_MS);
    db.proxy.restore();
    assert.deepEqual(Object.fromEntries(codesOf(await answer)), { accepted: 3 });
    assert.equal(world.provider.taken.length, 3);
  });

  it('goes out, and once, where the commit of its turn was cut off and is there all the same', async () => {
    // The text of a statement passes on a new connection only.
    db.proxy.cut();
    db.proxy.restore();
    await until(isReady);
    const isCut = db.proxy.cutAt("set status = 'transmitting'", { delivered: true });
    const { answer } = await sendAndWait(2);
    await isCut;
    db.proxy.restore();
    assert.deepEqual(Object.fromEntries(codesOf(await answer)), { accepted: 2 });
    assert.equal(world.provider.taken.length, 2);
  });

  it('does not go out from a channel that was removed meanwhile', async () => {
    const { answer } = await sendAndWait(4);
    assert.equal((await platform('DELETE', `channels/${from}`)).status, 204);
    const codes = codesOf(await answer);
    assert.ok((codes.get('not_attempted') ?? 0) >= 2, JSON.stringify([...codes]));
    assert.equal(world.provider.taken.length, codes.get('accepted'));
  });

  it('does not go out from a channel whose token the provider has refused meanwhile', async () => {
    world.provider.onMessage = () => 190;
    const { answer } = await sendAndWait(4);
    const codes = codesOf(await answer);
    assert.ok((codes.get('sender_suspended') ?? 0) >= 2, JSON.stringify([...codes]));
    assert.equal(world.provider.taken.length, codes.get('sender_unauthorized'));
  });

  it('goes out with the token that the channel has by then', async () => {
    const { answer } = await sendAndWait(4);
    assert.equal((await platform('PATCH', `channels/${from}`, { access_token: 'renewed' })).status, 200);
    assert.deepEqual(Object.fromEntries(codesOf(await answer)), { accepted: 4 });
    assert.equal(world.provider.taken.at(-1)?.authorization, 'Bearer renewed');
  });

  it('does not go out once its account is suspended', async () => {
    const { answer } = await sendAndWait(8);
    const account = `accounts/${world.gateway.accountId}`;
    assert.equal((await platform('PATCH', account, { suspended: true })).status, 200);
    const stoppedAtMs = Date.now() + STOPPED_MS;
    const codes = codesOf(await answer);
    await platform('PATCH', account, { suspended: false });
    assert.ok((codes.get('not_attempted') ?? 0) >= 2, JSON.stringify([...codes]));
    assert.deepEqual(
      world.provider.taken.filter(({ atMs }) => atMs > stoppedAtMs),
      [],
    );
  });
});

it('a message that the provider has throttled is not tried again from a channel that was removed meanwhile', async () => {
  world.provider.onMessage = () => 130429;
  const answer = world.sendText(from, phones(1));
  await until(() => world.provider.taken.length > 0);
  assert.equal((await platform('DELETE', `channels/${from}`)).status, 204);
  assert.deepEqual(Object.fromEntries(codesOf(await answer)), { throughput_limited: 1 });
  assert.equal(world.provider.taken.length, 1);
});

it('a message that the provider has throttled is tried again with the token that the channel has by then', async () => {
  world.provider.onMessage = () => (world.provider.taken.length === 1 ? 130429 : undefined);
  const answer = world.sendText(from, phones(1));
  await until(() => world.provider.taken.length > 0);
  assert.equal((await platform('PATCH', `channels/${from}`, { access_token: 'renewed' })).status, 200);
  assert.deepEqual(Object.fromEntries(codesOf(await answer)), { accepted: 1 });
  assert.deepEqual(
    world.provider.taken.map(({ authorization }) => authorization === 'Bearer renewed'),
    [false, true],
  );
});
