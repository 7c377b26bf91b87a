import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlatformState } from '../api/platform.ts';
import { describeState } from './describe-state.ts';

const AT = '2026-01-31T12:00:00.000Z';

/** A state with nodes of which each is alive or not, and with as many sends that were left. */
function stateOf(alive: boolean[], left = 0): PlatformState {
  const none = { count: 0, more: false };
  const nodes = alive.map((one, place) => ({ id: `node ${place}`, host: 'gateway', started_at: AT, alive: one }));
  return {
    at: AT,
    nodes: nodes.map((node) => ({ ...node, lease_until: AT })),
    notifications: { waiting: none, lag_ms: 0, set_aside: none },
    deliveries: { waiting: none, due: none, lag_ms: 0 },
    requests: { running: none, oldest_at: null, to_recover: left },
    statistics: { due: none, lag_ms: 0 },
    database: { version: '18.4', size_bytes: 1, round_trip_ms: 1 },
  };
}

function told(label: string, state: PlatformState): string {
  const { value, meaning, tone } = describeState(state).find((tile) => tile.label === label) ?? assert.fail();
  return `${value}, ${tone}: ${meaning}`;
}

describe('the state of the platform', () => {
  it('says how many nodes are gone, and promises the help of another only if there is one', () => {
    assert.equal(told('Nodes', stateOf([true])), '1 of 1, good: All are alive.');
    assert.match(told('Nodes', stateOf([true, false])), /^1 of 2, warn: One is gone: another settles/);
    assert.match(told('Nodes', stateOf([true, false, false])), /^1 of 3, warn: 2 are gone: another settles/);
    for (const alive of [[], [false], [false, false]])
      assert.match(told('Nodes', stateOf(alive)), /^0 of ., warn: None is known to be alive: what waits /);
  });

  it('says what they have left, and who settles it', () => {
    assert.match(told('Sends under way', stateOf([true, false], 1)), /: 1 was left by .* That is settled soon\.$/);
    assert.match(told('Sends under way', stateOf([true, false], 2)), /: 2 were left by /);
    assert.match(told('Sends under way', stateOf([false], 2)), /That waits until one is alive\.$/);
  });
});
