import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keptJson, timeAt } from './values.ts';

describe('reading values', () => {
  it('reads a time from seconds in either form, and nothing from an absurd one', () => {
    for (const at of ['1789000000', 1_789_000_000]) {
      assert.equal(timeAt({ at }, 'at')?.toISOString(), '2026-09-10T00:26:40.000Z');
    }
    for (const at of [0, '0', -1, '', 'soon', '1789000000000', 1_789_000_000_000, 1.5, null, {}, [1_789_000_000]]) {
      assert.equal(timeAt({ at }, 'at'), undefined);
    }
  });

  it('replaces in kept JSON what no database stores, in names too', () => {
    const kept = keptJson({ 'a\0': ['\ud83d', '\ud83d\ude00', 'é'], n: 1.5, none: null });
    assert.deepEqual(kept, { 'a\ufffd': ['\ufffd', '\ud83d\ude00', 'é'], n: 1.5, none: null });
  });

  it('keeps a member named __proto__ as a member', () => {
    const kept = keptJson(JSON.parse('{"__proto__":{"admin":true}}'));
    assert.equal(JSON.stringify(kept), '{"__proto__":{"admin":true}}');
  });
});
