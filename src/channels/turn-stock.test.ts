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
