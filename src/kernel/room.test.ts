import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRoom } from './room.ts';

const countEntered = (answers: string[]) => answers.filter((answer) => answer === 'entered').length;

describe('a room that accounts share', () => {
  it('is never full for one account because of another one alone', () => {
    const room = createRoom({ placesMax: 10, ofAccountMax: 5 });
    const entered = Array.from({ length: 10 }, () => room.enter('flooding'));
    assert.equal(countEntered(entered), 5);
    assert.equal(entered.at(-1), 'account_full');
    assert.equal(room.enter('quiet'), 'entered');
  });

  it('is never full for one account because of some others', () => {
    const room = createRoom({ placesMax: 160, ofAccountMax: 80 });
    const flooding = ['a', 'b', 'c', 'd'];
    for (let round = 0; round < 160; round++) for (const account of flooding) room.enter(account);
    const entered = Array.from({ length: 160 }, () => room.enter('quiet'));
    assert.ok(countEntered(entered) >= 10, `${countEntered(entered)} places were left`);
    assert.ok(flooding.every((account) => room.enter(account) === 'full'));
  });

  it('has an end for all of them together, and is free again for whoever leaves', () => {
    const room = createRoom({ placesMax: 4, ofAccountMax: 2 });
    assert.equal(countEntered(['a', 'a', 'b', 'b'].map((account) => room.enter(account))), 4);
    assert.equal(room.enter('c'), 'full');
    room.leave('a');
    assert.equal(room.enter('c'), 'entered');
    assert.equal(room.enter('a'), 'full');
  });

  it('counts what an account has under way through every coming and going', () => {
    const room = createRoom({ placesMax: 5, ofAccountMax: 3 });
    for (let rounds = 0; rounds < 3; rounds++) {
      assert.equal(
        countEntered(['a', 'a', 'a', 'a'].map((account) => room.enter(account))),
        3,
        'as many as one may hold',
      );
      for (let one = 0; one < 3; one++) room.leave('a');
    }
  });

  it('counts nobody who has left when it comes to an even share', () => {
    const room = createRoom({ placesMax: 80, ofAccountMax: 79 });
    for (let place = 0; place < 100; place++) {
      room.enter(`${place}`);
      room.leave(`${place}`);
    }
    assert.equal(room.enter('large', 70), 'entered');
    assert.equal(countEntered(Array.from({ length: 10 }, () => room.enter('other'))), 10);
  });

  it('takes what is large only where there is as much room, and has it back when that leaves', () => {
    const room = createRoom({ placesMax: 10, ofAccountMax: 6 });
    assert.equal(room.enter('large', 5), 'entered');
    assert.equal(room.enter('large', 2), 'account_full');
    assert.equal(room.enter('other', 6), 'full');
    assert.equal(room.enter('other', 4), 'entered');
    room.leave('large', 5);
    assert.equal(room.enter('large', 5), 'entered');
  });
});
