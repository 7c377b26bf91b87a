import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRoom } from './room.ts';

describe('the room for sends', () => {
  it('is never full for one account because of another one alone', () => {
    const room = createRoom(10);
    const entered = Array.from({ length: 10 }, () => room.enter('flooding')).filter(Boolean).length;
    assert.equal(entered, 5);
    assert.ok(room.enter('quiet'));
  });

  it('is never full for one account because of some others', () => {
    const room = createRoom(160);
    const flooding = ['a', 'b', 'c', 'd'];
    for (let round = 0; round < 160; round++) for (const account of flooding) room.enter(account);
    const entered = Array.from({ length: 160 }, () => room.enter('quiet')).filter(Boolean).length;
    assert.ok(entered >= 10, `${entered} places were left`);
    assert.ok(flooding.every((account) => !room.enter(account)));
  });

  it('has an end for all of them together, and is free again for whoever leaves', () => {
    const room = createRoom(4);
    assert.deepEqual(['a', 'a', 'b', 'b', 'c'].map(room.enter), [true, true, true, true, false]);
    room.leave('a');
    assert.ok(room.enter('c'));
    assert.ok(!room.enter('a'));
  });

  it('counts what an account has under way through every coming and going', () => {
    const room = createRoom(5);
    for (let rounds = 0; rounds < 3; rounds++) {
      assert.deepEqual(['a', 'a', 'a', 'a'].map(room.enter), [true, true, true, false], 'half of it, rounded up');
      for (let one = 0; one < 3; one++) room.leave('a');
    }
  });
});
