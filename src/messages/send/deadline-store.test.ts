import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type LiveWorld, startLiveWorld } from '../../../test/pacing/live-world.ts';
import type { TestAnswer } from '../../../test/support/gateway.ts';
import { assertProblem } from '../../../test/support/problem.ts';
import { undisturbed } from '../../../test/support/undisturbed.ts';
import { until } from '../../../test/support/until.ts';
import { newId } from '../../kernel/ids.ts';

const DEADLINE_MS = 2_000;
/** The provider refuses a text, because its person has not written for a day. */
const WINDOW_CLOSED = 131_047;
const PROVIDER_ERROR = 131_000;
/** It is tried again after a second. */
const OVERLOADED = 131_016;
const TOKEN_REFUSED = 190;
/** How long the store keeps a send waiting for the look at its key. */
const KEY_MS = 1_000;
/** Less than what a send keeps of its time for the way back. */
const STANDSTILL_MS = 50;

let world: LiveWorld;
let from: string;
before(async () => {
  world = await startLiveWorld({ WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS) });
  from = await world.connect();
});
after(() => world.stop());
beforeEach(() => {
  world.provider.taken.length = 0;
  world.provider.onMessage = () => undefined;
});

const text = (to: string) => ({ from, to, type: 'text', text: { body: 'Hello' } });
const send = (body: object, headers: Record<string, string> = {}) =>
  world.call('POST', '/api/v1/messages/send', { body, headers });
const codesOf = ({ json }: TestAnswer) =>
  json.results.map(({ status, error }: { status: string; error?: { code: string } }) => error?.code ?? status);

/** The answer to a send during which the table is locked; the lock stays until the answer is there. */
async function sendWhileLocked(table: string, sending: () => Promise<TestAnswer>): Promise<TestAnswer> {
  return world.gateway.database.transaction(async (tx) => {
    await tx.query(`lock table ${table} in access exclusive mode`);
    return inTime(sending);
  });
}

async function inTime(sending: () => Promise<TestAnswer>): Promise<TestAnswer> {
  const startMs = performance.now();
  const answer = await sending();
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs < DEADLINE_MS + 10_000, `${tookMs} ms`);
  return answer;
}

describe('a send whose store does not answer is answered in time, with what is known', () => {
  it('of an unknown that a notification may have settled', async () => {
    const release = world.provider.hold();
    let sent: Promise<TestAnswer> | undefined;
    await inTime(async () => {
      sent = send(text('+447700900301'));
      await until(() => world.provider.taken.length === 1);
      const { database } = world.gateway;
      return database.transaction(async (tx) => {
        await tx.query('lock table message in access exclusive mode');
        return (await sent) ?? assert.fail();
      });
    });
    release();
    assert.deepEqual(codesOf((await sent) ?? assert.fail()), ['outcome_unknown']);
  });

  it('of a refusal that a notification may contradict', async () => {
    world.provider.onMessage = () => PROVIDER_ERROR;
    assert.deepEqual(codesOf(await sendWhileLocked('message', () => send(text('+447700900302')))), ['provider_error']);
  });

  for (const [what, code, told, table] of [
    ['would be tried again', OVERLOADED, 'provider_unavailable', 'request'],
    ['suspends its channel', TOKEN_REFUSED, 'sender_unauthorized', 'channel'],
  ] as const)
    it(`of a refusal that ${what}`, async () => {
      from = await world.connect();
      const refuse = world.provider.hold();
      const answer = await world.gateway.database.transaction(async (tx) =>
        inTime(async () => {
          const sent = send(text('+447700900308'));
          await until(() => world.provider.taken.length === 1);
          await tx.query(`lock table ${table} in access exclusive mode`);
          refuse(code);
          return sent;
        }),
      );
      assert.deepEqual(codesOf(answer), [told]);
      assert.equal(world.provider.taken.length, 1);
      from = await world.connect();
    });

  it('of a closed window', async () => {
    world.provider.onMessage = () => WINDOW_CLOSED;
    const answer = await sendWhileLocked('customer_window', () => send(text('+447700900303')));
    assert.deepEqual(codesOf(answer), ['window_closed']);
  });
});

it('a send is answered within its time, and not a moment after it, while the store hangs', () =>
  undisturbed(async () => {
    let tookMs = 0;
    world.provider.onMessage = () => WINDOW_CLOSED;
    const answer = await sendWhileLocked('customer_window', async () => {
      const beganMs = performance.now();
      const sent = await send(text('+447700900310'));
      tookMs = performance.now() - beganMs;
      return sent;
    });
    assert.deepEqual(codesOf(answer), ['window_closed']);
    assert.ok(tookMs < DEADLINE_MS, `${tookMs} ms`);
  }, STANDSTILL_MS));

it('the time in which the look at its key has kept a send waiting is part of its own', () =>
  undisturbed(async () => {
    const key = await world.gateway.createKey({ mode: 'live' });
    const release = world.provider.hold();
    let sent: Promise<TestAnswer> | undefined;
    let begunMs = 0;
    await world.gateway.database.transaction(async (tx) => {
      await tx.query('lock table api_key in access exclusive mode');
      begunMs = performance.now();
      sent = world.call('POST', '/api/v1/messages/send', { key, body: text('+447700900309') });
      await until(() => performance.now() - begunMs > KEY_MS);
    });
    const answer = (await sent) ?? assert.fail();
    const tookMs = performance.now() - begunMs;
    release();
    assert.deepEqual(codesOf(answer), ['outcome_unknown']);
    assert.ok(tookMs < DEADLINE_MS, `${tookMs} ms`);
  }));

describe('a send that cannot begin before its deadline is refused in time, and transmits nothing', () => {
  it('while the store does not tell whose its key is', async () => {
    const key = await world.gateway.createKey({ mode: 'live' });
    const call = () => world.call('POST', '/api/v1/messages/send', { key, body: text('+447700900308') });
    assertProblem(await sendWhileLocked('api_key', call), 'unavailable');
    assert.deepEqual(world.provider.taken, []);
  });

  it('while the store does not tell of its idempotency key', async () => {
    const call = () => send(text('+447700900304'), { 'idempotency-key': 'locked' });
    assertProblem(await sendWhileLocked('idempotency', call), 'unavailable');
    assert.deepEqual(world.provider.taken, []);
    assert.equal((await call()).json.accepted_count, 1, 'its key is free');
  });

  it('while the store does not commit it, and not a moment after its time', () =>
    undisturbed(async () => {
      world.provider.taken.length = 0;
      const key = newId();
      const call = () => send(text('+447700900307'), { 'idempotency-key': key });
      let tookMs = 0;
      const answer = await sendWhileLocked('request', async () => {
        const beganMs = performance.now();
        const refused = await call();
        tookMs = performance.now() - beganMs;
        return refused;
      });
      assertProblem(answer, 'unavailable');
      assert.ok(tookMs < DEADLINE_MS, `${tookMs} ms`);
      assert.deepEqual(world.provider.taken, []);
      // It was in doubt, and is taken back when the store is there again.
      await until(async () => (await call()).json.accepted_count === 1);
      assert.equal(world.provider.taken.length, 1);
    }, STANDSTILL_MS));

  it('while the store gives no turn', async () => {
    // A channel that has never sent has no turns in stock.
    from = await world.connect();
    const answer = await sendWhileLocked('channel_pace', () => send(text('+447700900305')));
    assertProblem(answer, 'unavailable');
    assert.deepEqual(world.provider.taken, []);
  });
});

it('a template that the provider does not list before the deadline is not attempted, and no limit is blamed', () =>
  undisturbed(async () => {
    const held = Promise.withResolvers<void>();
    world.provider.onListing = () => held.promise;
    const template = { name: 'order', language: 'en_US' };
    const answer = await inTime(() => send({ from, to: ['+447700900306', 'x'], type: 'template', template }));
    held.resolve();
    assert.deepEqual(codesOf(answer), ['not_attempted', 'invalid_recipient']);
    assert.deepEqual(world.provider.taken, []);
  }));
