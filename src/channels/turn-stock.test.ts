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
