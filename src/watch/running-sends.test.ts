import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatId, newId } from '../kernel/ids.ts';
import { createRunningSends } from './running-sends.ts';

it('a send is forgotten when it and its call are over, whichever ends first, and so is where its messages belong', () => {
  for (const callEndsFirst of [true, false]) {
    const sends = createRunningSends();
    const [requestId, id] = [newId(), newId()];
    const span = { traceparent: 'of the send', end() {} };
    const running = sends.begin(requestId, 0, span);
    sends.traceMessages(running, span, [{ id }]);
    assert.equal(sends.parentOf(formatId('msg', id)), 'of the send');
    running.counts = { accepted: 1, failed: 0, unknown: 0 };
    const ends = [() => void sends.takeCounts(requestId), () => sends.end(requestId, running)];
    if (!callEndsFirst) ends.reverse();
    ends[0]?.();
    assert.equal(sends.find(requestId), running);
    ends[1]?.();
    assert.equal(sends.find(requestId), undefined);
    assert.equal(sends.parentOf(formatId('msg', id)), undefined);
  }
});
