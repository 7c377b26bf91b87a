import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAnswering } from './answering.ts';
import { unanswered } from './post.ts';

const HOUR_MS = 3_600_000;
const ANSWERED = { ...unanswered('too_large'), httpStatus: 503 };

describe('an account whose endpoints answer over TLS', () => {
  it('is one once an endpoint has answered, whatever that was', () => {
    const { answering } = start();
    assert.equal(answering.has('a'), false);
    answering.note('a', ANSWERED);
    assert.equal(answering.has('a'), true);
    assert.equal(answering.has('b'), false);
  });

  it('is none for an hour after a call that nobody answered, also if others are answered meanwhile', () => {
    for (const error of ['tls', 'timeout', 'closed', 'too_large'] as const) {
      const { answering, pass } = start();
      answering.note('a', ANSWERED);
      answering.note('a', unanswered(error));
      answering.note('a', ANSWERED);
      pass(HOUR_MS - 1);
      assert.equal(answering.has('a'), false, error);
      pass(1);
      assert.equal(answering.has('a'), true, error);
    }
  });

  it('is none for all the time in which none has answered, and none for an hour after a silence before the first answer', () => {
    const { answering, pass } = start();
    answering.note('a', unanswered('timeout'));
    pass(HOUR_MS);
    assert.equal(answering.has('a'), false);
    answering.note('a', unanswered('timeout'));
    answering.note('a', ANSWERED);
    pass(HOUR_MS - 1);
    assert.equal(answering.has('a'), false);
    pass(1);
    assert.equal(answering.has('a'), true);
  });

  it('is forgotten where a hundred thousand others have come since, and is one again at its next answer', () => {
    const { answering } = start();
    for (let n = 0; n <= 100_000; n++) answering.note(`${n}`, ANSWERED);
    assert.equal(answering.has('0'), false);
    assert.equal(answering.has('1'), true);
    answering.note('0', ANSWERED);
    assert.equal(answering.has('0'), true);
  });

  it('stays one if nobody was there to be spoken with, and does not become one by that', () => {
    for (const error of ['dns', 'refused', 'address_refused'] as const) {
      const { answering } = start();
      answering.note('new', unanswered(error));
      assert.equal(answering.has('new'), false);
      answering.note('a', ANSWERED);
      answering.note('a', unanswered(error));
      assert.equal(answering.has('a'), true, error);
    }
  });
});

function start() {
  let nowMs = 7;
  const answering = createAnswering({ steadyMs: () => nowMs });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { answering, pass };
}
