import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedMembers, membersOf, wishOf } from './endpoint-wish.ts';

const STORED = { url: 'https://example.com/', description: 'The shop', types: ['message.sent', 'message.read'] };

describe('the form of an endpoint', () => {
  it('asks for what is stored if nothing was typed', () => {
    for (const stored of [STORED, { ...STORED, description: null, types: null }]) {
      assert.deepEqual(membersOf(wishOf(stored)), stored);
      assert.deepEqual(changedMembers(stored, wishOf(stored)), {});
    }
  });

  it('asks for the members alone that were changed, so that what somebody else changed meanwhile stays', () => {
    const changedBy = (typed: object) => changedMembers(STORED, { ...wishOf(STORED), ...typed });
    assert.deepEqual(changedBy({ url: ' https://example.org/ ' }), { url: 'https://example.org/' });
    assert.deepEqual(changedBy({ description: '' }), { description: null });
    assert.deepEqual(changedBy({ types: [] }), { types: null });
    assert.deepEqual(changedBy({ types: ['message.read'] }), { types: ['message.read'] });
    assert.deepEqual(changedBy({ types: ['message.read', 'message.sent'] }), {}, 'the order means nothing');
  });
});
