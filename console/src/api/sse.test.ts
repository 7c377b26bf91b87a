import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { createSseReader } from './sse.ts';

const TEXT =
  ': hello\n\nid: 7\nevent: message.read\ndata: {"a":1}\n\n: still here\n\nid: 8\ndata: one\ndata: two\n\nid: 9\nda';

it('events are the same in whatever pieces they arrive, and an unfinished one waits', () => {
  const cuts = fc
    .array(fc.nat(TEXT.length), { maxLength: 10 })
    .map((all) => [0, ...all.sort((a, b) => a - b), TEXT.length]);
  fc.assert(
    fc.property(cuts, (places) => {
      const read = createSseReader();
      const events = places.slice(1).flatMap((end, index) => read(TEXT.slice(places[index], end)));
      assert.deepEqual(events, [
        { id: '7', type: 'message.read', data: '{"a":1}' },
        { id: '8', type: 'message', data: 'one\ntwo' },
      ]);
    }),
  );
});
