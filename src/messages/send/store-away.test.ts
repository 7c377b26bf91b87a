import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type LiveWorld, startLiveWorld } from '../../../test/pacing/live-world.ts';
import type { TestAnswer } from '../../../test/support/gateway.ts';
import { type ProxiedDatabase, startProxiedDatabase } from '../../../test/support/proxied-database.ts';
import { undisturbed } from '../../../test/support/undisturbed.ts';
import { until } from '../../../test/support/until.ts';

/** Long enough for one more turn after the store is back. */
const DEADLINE_MS = 6_000;
/** Of a channel that may send one a second. */
const TURN_EVERY_MS = 1_000;
/** Later than a look at a message before its turn. */
const LATER_MS = 300;

let db: ProxiedDatabase;
let world: LiveWorld;
before(async () => {
  db = await startProxiedDatabase();
  world = await startLiveWorld({ WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS) }, db);
});
after(() => world.stop());

const codesOf = ({ json }: TestAnswer) =>
  json.results.map(({ status, error }: { status: string; error?: { code: string } }) => error?.code ?? status);

/** Sends, and takes the store away once the provider has the first message. Returns the answer that is to come, in an object. */
async function sendAndLoseStore(from: string, to: string[]): Promise<{ sent: Promise<TestAnswer> }> {
  world.provider.taken.length = 0;
  const sent = world.sendText(from, to);
  await until(() => world.provider.taken.length > 0);
  db.proxy.cut();
  return { sent };
}

/** What the request has come to, once the store is back and has it. */
async function codesAtLast({ json }: TestAnswer): Promise<string[]> {
  db.proxy.restore();
  const read = () => world.call('GET', `/api/v1/requests/${json.request_id}`);
  await until(async () => (await read()).json.pending_count === 0);
  return codesOf(await read());
}

describe('while the store is away, under a send', () => {
  it('messages that wait for their turns do not go without it, and are not attempted', () =>
    undisturbed(async () => {
      const from = await world.connect(1);
      const { sent } = await sendAndLoseStore(from, ['+447700900302', '+447700900303', '+447700900304']);
      const answer = await sent;
      const codes = ['accepted', 'not_attempted', 'not_attempted'];
      assert.deepEqual([codesOf(answer), await codesAtLast(answer)], [codes, codes]);
      assert.equal(world.provider.taken.length, 1);
    }));

  it('a message goes once, and only when the store is back, although its turn passes before', () =>
    undisturbed(async () => {
      const from = await world.connect(1);
      const { sent } = await sendAndLoseStore(from, ['+447700900305', '+447700900306']);
      const turnMs = Date.now() + TURN_EVERY_MS;
      await until(() => Date.now() > turnMs + LATER_MS);
      const backMs = Date.now();
      db.proxy.restore();
      assert.deepEqual(codesOf(await sent), ['accepted', 'accepted']);
      const [, second, ...more] = world.provider.taken;
      assert.deepEqual(more, []);
      assert.ok((second?.atMs ?? 0) >= backMs);
    }));
});
