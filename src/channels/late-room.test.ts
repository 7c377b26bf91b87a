import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLateRoom } from './late-room.ts';

const PER_SECOND = 80;

function start() {
  let nowMs = 0;
  const room = createLateRoom({ steadyMs: () => nowMs });
  return {
    pass(ms: number) {
      nowMs += ms;
    },
    mayGo: (isLate: boolean, channel = 'one') => room.mayGo(channel, PER_SECOND, isLate),
  };
}

describe('messages that are late for their turns', () => {
  it('go where they trickle below the throughput of their channel, however late they are', () => {
    const { pass, mayGo } = start();
    for (let messages = 0; messages < 500; messages++) {
      pass(1_000 / 70);
      assert.equal(mayGo(true), true);
    }
  });

  it('never go faster than it, but for what a tenth of a second saves up', () => {
    const { pass, mayGo } = start();
    let gone = 0;
    for (let ms = 0; ms < 5_000; ms++) {
      pass(1);
      if (mayGo(true)) gone += 1;
      assert.ok(gone <= ((ms + 101) * PER_SECOND) / 1_000 + 1, `${gone} after ${ms} ms`);
    }
    assert.ok(gone > 4.5 * PER_SECOND);
  });

  it('leave room for those in their turns, which always go, and for other channels', () => {
    const { mayGo } = start();
    for (let messages = 0; messages < 20; messages++) assert.equal(mayGo(false), true);
    assert.equal(mayGo(true), false);
    assert.equal(mayGo(true, 'other'), true);
  });

  it('are counted right however many channels there are', () => {
    const { pass, mayGo } = start();
    for (let channel = 0; channel < 3_000; channel++) {
      mayGo(false, `${channel}`);
      pass(1);
    }
    for (let messages = 0; messages < 20; messages++) mayGo(false, '2999');
    assert.equal(mayGo(true, '2999'), false);
    for (let channel = 0; channel < 3_000; channel++) mayGo(false, `more ${channel}`);
    assert.equal(mayGo(true, '2999'), false, 'one that has not rested is not forgotten');
  });
});
