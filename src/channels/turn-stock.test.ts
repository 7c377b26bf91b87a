import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTurnStock } from './turn-stock.ts';

it('turns reserved ahead are kept for a bounded number of channels, however many a node has ever sent from', () => {
  const stock = createTurnStock({ steadyMs: () => 1_000 });
  stock.put('first', { startMs: 0, turns: 3 });
  assert.deepEqual(stock.take('first', 1, 80), { startMs: 0, turns: 1 });
  for (let channel = 0; channel < 10_000; channel++) stock.put(`channel ${channel}`, { startMs: 0, turns: 1 });
  assert.equal(stock.take('first', 1, 80), undefined, 'forgotten, so it asks the store');
  assert.deepEqual(stock.take('channel 9999', 1, 80), { startMs: 0, turns: 1 });
});

it('what is left of one reservation is kept beside the next one, and so much less is reserved ahead', () => {
  let nowMs = 1_000;
  const stock = createTurnStock({ steadyMs: () => nowMs });
  stock.want('channel', 40);
  nowMs += 60;
  assert.equal(stock.ahead('channel', 1_000), 40);
  stock.put('channel', { startMs: 0, turns: 30 });
  assert.equal(stock.ahead('channel', 1_000), 10);
  assert.equal(stock.take('channel', 50, 1_000), undefined, 'a large request finds too little, and asks the store');
  stock.put('channel', { startMs: 30, turns: 50 });
  assert.deepEqual(stock.take('channel', 50, 1_000), { startMs: 30, turns: 50 });
  const small = Array.from({ length: 30 }, () => stock.take('channel', 1, 1_000)?.startMs);
  assert.deepEqual(
    small,
    Array.from({ length: 30 }, (_, place) => place),
    'nothing that was reserved is lost',
  );
  assert.equal(stock.take('channel', 1, 1_000), undefined);
});

it('turns that nobody uses within a tenth of a second of their times are lost, so that no burst is saved up', () => {
  let nowMs = 1_000;
  const stock = createTurnStock({ steadyMs: () => nowMs });
  stock.put('channel', { startMs: 0, turns: 200 });
  nowMs += 150;
  assert.equal(stock.take('channel', 151, 1_000), undefined);
  assert.deepEqual(stock.take('channel', 1, 1_000), { startMs: -100, turns: 1 });
  assert.deepEqual(stock.take('channel', 149, 1_000), { startMs: -99, turns: 149 });
});

it('turns of the earlier reservation go first', () => {
  const stock = createTurnStock({ steadyMs: () => 1_000 });
  for (const startMs of [0, 30]) stock.put('channel', { startMs, turns: 5 });
  assert.deepEqual(stock.take('channel', 1, 1_000), { startMs: 0, turns: 1 });
});

it('as many are reserved ahead as were wanted in the window before, and no more than pass in one', () => {
  let nowMs = 1_000;
  const stock = createTurnStock({ steadyMs: () => nowMs });
  const aheadAfter = (ms: number, perSecond = 1_000) => {
    nowMs += ms;
    return stock.ahead('channel', perSecond);
  };
  stock.want('channel', 40);
  assert.deepEqual([aheadAfter(0), aheadAfter(50, 80), aheadAfter(0), aheadAfter(50)], [0, 4, 40, 0]);
  stock.want('channel', 40);
  assert.equal(aheadAfter(1_000), 0, 'a channel that has rested wants nothing ahead');
  stock.want('channel', 10);
  assert.equal(aheadAfter(50), 10);
});
