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

it('of sends whose calls were over before they began, only the youngest are remembered', () => {
  const sends = createRunningSends();
  const ids = Array.from({ length: 20_001 }, newId);
  for (const id of ids) sends.begin(id, 0, undefined);
  const [oldest = '', next = ''] = ids;
  assert.deepEqual([sends.find(oldest), sends.find(next)?.halfOver], [undefined, false]);
});
