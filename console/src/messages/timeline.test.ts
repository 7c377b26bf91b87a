import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Message } from '../api/message.ts';
import { drawTimeline } from './timeline.ts';

it("each step ends where it was known here, whatever the provider's own clock says", () => {
  const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
  const step = (status: string, saidMs: number, knownMs: number, note: string | null = null) => ({
    ...{ status, at: at(saidMs), received_at: at(knownMs), note, error: null },
  });
  const timeline = [step('accepted', 100, 100), step('read', -900, 1_000), step('delivered', 0, 500, 'late')];
  const [odd] = drawTimeline({ created_at: at(0), timeline: [step('played', 0, 0, 'of_a_future')] });
  assert.equal(odd?.remark, 'of a future.');
  const message: Pick<Message, 'created_at' | 'timeline'> = { created_at: at(0), timeline };
  const drawn = drawTimeline(message);
  assert.deepEqual(
    drawn.map(({ startPercent, endPercent, since }) => [startPercent, endPercent, since]),
    [
      [0, 10, '100 ms'],
      [10, 100, '1.0 s'],
      [50, 50, '500 ms'],
    ],
  );
  assert.match(drawn[2]?.remark ?? '', /^Came late/);
});
