import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRest } from './rest.ts';

/** Longer than any test may take. */
const FOR_EVER_MS = 600_000;

describe('the rest of a loop', () => {
  it('ends at a nudge', async () => {
    const loop = createRest(FOR_EVER_MS);
    const resting = loop.rest(loop.nudges);
    loop.nudge();
    await resting;
  });

  it('does not begin after a nudge that came during the round, and begins after the next one', async () => {
    const loop = createRest(FOR_EVER_MS);
    const before = loop.nudges;
    loop.nudge();
    await loop.rest(before);
    let over = false;
    const resting = loop.rest(loop.nudges).then(() => {
      over = true;
    });
    await Promise.resolve();
    assert.equal(over, false);
    loop.nudge();
    await resting;
  });

  it('ends by itself', async () => {
    const loop = createRest(1);
    await loop.rest(loop.nudges);
    assert.equal(loop.nudges, 0);
  });
});
