import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { createLargeBodies, LARGE_BYTES_MIN } from './large-bodies.ts';

const PATH = '/api/v1/messages/validate';
const CALLS = 30;
const LIMITS = { placesMax: 64, ofAccountMax: 32 };
const ready = async () => undefined;

/** Keeps the thread busy, as taking a body apart does. */
function toil(forMs: number): void {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs);
}

describe('calls with large bodies', () => {
  it('take turns by account, so that one which posts many is no reason for another to wait for all of them', async () => {
    const largeBodies = createLargeBodies(LIMITS);
    const begun: string[] = [];
    const post = (accountId: string) =>
      largeBodies({ accountId, bytes: LARGE_BYTES_MIN, ready, begin: async () => void begun.push(accountId) });
    await Promise.all([post('a'), post('a'), post('a'), post('a'), post('b')]);
    assert.deepEqual(begun, ['a', 'b', 'a', 'a', 'a']);
  });

  it('leave two thirds of the time to all others, and wait for no answer but their own', async () => {
    const largeBodies = createLargeBodies(LIMITS);
    const beganMs: number[] = [];
    const begin = async () => {
      beganMs.push(performance.now());
      toil(30);
      // This one is answered late, and nobody waits for it.
      if (beganMs.length === 1) await new Promise(() => undefined);
    };
    const post = (accountId: string) => largeBodies({ accountId, bytes: LARGE_BYTES_MIN, ready, begin });
    void post('a');
    await Promise.all([post('a'), post('b')]);
    const gaps = beganMs.slice(1).map((atMs, place) => atMs - (beganMs[place] ?? 0));
    assert.equal(gaps.length, 2);
    // Timers may be a millisecond early.
    assert.ok(
      gaps.every((gapMs) => gapMs >= 85),
      gaps.join(),
    );
  });

  it('are not refused for the rest alone of one during which the machine stood still', async () => {
    const largeBodies = createLargeBodies(LIMITS, 6_000);
    const bytes = LARGE_BYTES_MIN;
    await largeBodies({ accountId: 'a', bytes, ready, begin: async () => toil(3_200) });
    assert.equal(await largeBodies({ accountId: 'a', bytes, ready, begin: async () => 'answered' }), 'answered');
  });

  it('are looked at again when their turn has come, and a refusal then holds nobody up', async () => {
    const largeBodies = createLargeBodies(LIMITS);
    const bytes = LARGE_BYTES_MIN;
    const refuse = async () => {
      throw new Error('revoked');
    };
    const revoked = largeBodies({ accountId: 'a', bytes, ready: refuse, begin: async () => assert.fail('was begun') });
    const faulty = largeBodies({
      ...{ accountId: 'a', bytes, ready },
      begin() {
        throw new Error('cannot be read');
      },
    });
    const next = largeBodies({ accountId: 'a', bytes, ready, begin: async () => 'answered' });
    await assert.rejects(revoked, /revoked/);
    await assert.rejects(faulty, /cannot be read/);
    assert.equal(await next, 'answered');
  });

  it('are refused if their turn does not come in time, and the room is given back', async () => {
    const largeBodies = createLargeBodies({ placesMax: 3, ofAccountMax: 3 }, 200);
    const bytes = LARGE_BYTES_MIN;
    const looked = Promise.withResolvers<void>();
    // Stands for a store that does not tell of a key.
    const first = largeBodies({ accountId: 'a', bytes, ready: () => looked.promise, begin: async () => 'answered' });
    const waiting = ['a', 'b'].map((accountId) => {
      const look = async () => assert.fail('was looked at');
      return largeBodies({ accountId, bytes, ready: look, begin: async () => assert.fail('was begun') });
    });
    for (const one of waiting) await assert.rejects(one, /take too long/);
    looked.resolve();
    assert.equal(await first, 'answered');
    const all = { accountId: 'b', bytes: 3 * LARGE_BYTES_MIN, ready, begin: async () => 'answered' };
    await until(async () => (await largeBodies(all).catch(() => undefined)) === 'answered');
  });

  it('are refused where too much of their account waits, and the room is given back', async () => {
    const largeBodies = createLargeBodies({ placesMax: 64, ofAccountMax: 4 });
    const post = (accountId: string, bytes: number) =>
      largeBodies({ accountId, bytes, ready, begin: async () => 'answered' });
    const held = [post('a', 3 * LARGE_BYTES_MIN), post('a', LARGE_BYTES_MIN)];
    await assert.rejects(post('a', LARGE_BYTES_MIN), /Too many large bodies/);
    assert.equal(await post('b', LARGE_BYTES_MIN), 'answered');
    await Promise.all(held);
    assert.equal(await post('a', 4 * LARGE_BYTES_MIN), 'answered');
  });
});

it('a key that floods the gateway with large bodies is refused, while small calls are answered and the largest body is', async () => {
  const gateway = await startTestGateway();
  try {
    // Each keeps the thread busy for tens of milliseconds, and the line rests twice as long: too long for fourteen of them to be done while
    // the others come.
    const names = Array.from({ length: 20_000 }, (_, place) => [`k${place}`, place]);
    const body = JSON.stringify(Object.fromEntries(names)).padEnd((1 << 20) - 1);
    const { promise: allAreNear, resolve: end } = Promise.withResolvers<void>();
    let near = 0;
    // Only the last byte is kept back until all are there, so that they come together however slow the machine is.
    async function* bytes() {
      yield Buffer.from(body);
      near += 1;
      if (near === CALLS) end();
      await allAreNear;
      yield Buffer.from(' ');
    }
    const posted = Promise.all(
      Array.from({ length: CALLS }, () => gateway.call('POST', PATH, { body: ReadableStream.from(bytes()) })),
    );
    await allAreNear;
    assert.equal((await gateway.call('GET', '/api/v1/account')).status, 200);
    const all = await posted;
    const refused = all.filter(({ status }) => status === 503);
    const read = all.filter(({ status }) => status !== 503);
    // On a busy machine the last in line may not have their turn in time. They were let in all the same.
    const late = refused.filter(({ json }) => json.detail === 'Large bodies that came before take too long.');
    assert.ok(refused.length > late.length);
    for (const answer of refused) {
      assertProblem(answer, 'unavailable');
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.ok(read.length > 0);
    assert.ok(read.length + late.length >= 16, 'as many as there is room for at once');
    for (const answer of read) assertProblem(answer, 'invalid_request');
    assertProblem(await gateway.call('POST', PATH, { body: `${body} ` }), 'invalid_request');
  } finally {
    await gateway.stop();
  }
});
