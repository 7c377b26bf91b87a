import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage, keptByYoungCollections } from '../../test/support/garbage.ts';
import { createInFlight } from './in-flight.ts';

/** Of the two megabytes of a round. Node's own queue of turns keeps a third of them; a set of promises keeps them all. */
const KEPT_BYTES_MAX = 1_200_000;

it('what is in flight is waited for, however it ends, and so is what begins meanwhile', async () => {
  const works = createInFlight();
  await works.idle();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const added = works.add(first.promise);
  let idle = false;
  const waiting = works.idle().then(() => {
    idle = true;
  });
  void works.add(second.promise);
  first.reject(new Error('It failed'));
  await assert.rejects(added, /It failed/);
  assert.equal(idle, false, 'the second one is still in flight');
  second.resolve();
  await waiting;
  await works.idle();
});

it('what begins because another one has ended is waited for too', async () => {
  const works = createInFlight();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let idle = false;
  void works
    .add(first.promise)
    .then(() => undefined)
    .then(() => works.add(second.promise));
  const waiting = works.idle().then(() => {
    idle = true;
  });
  first.resolve();
  await nextTurn();
  await nextTurn();
  assert.equal(idle, false);
  second.resolve();
  await waiting;
});

it('what has ended is left to the small collections, which only look at what is young', async () => {
  const works = createInFlight();
  // What is old is what matters: it lives as long as the process.
  collectGarbage();
  const kept = await keptByYoungCollections(async () => {
    for (let place = 0; place < 64; place++) void works.add(workOf(place));
    await works.idle();
  });
  assert.ok(kept < KEPT_BYTES_MAX, `${kept} bytes of each round are kept`);
});

/** 64 of these take two megabytes. */
async function workOf(turns: number): Promise<number[]> {
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  return Array.from({ length: 4_000 }, (_, place) => place + turns);
}
