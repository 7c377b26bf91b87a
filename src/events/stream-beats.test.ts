import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startEventServer } from '../../test/events/event-server.ts';
import { openStream } from '../../test/events/open-stream.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';

/** Quick here, so that the test sees several. */
const HEARTBEAT_MS = 200;

it('a stream beats on while the store does not answer, and then gives what was recorded', async () => {
  const server = await startEventServer({ heartbeatMs: HEARTBEAT_MS });
  await server.record(1);
  const stream = await openStream(server.url, server.key, { query: '?after=0' });
  await until(() => stream.frames.length === 1);
  await server.database.transaction(async (tx) => {
    await tx.query('lock table event_sequence in access exclusive mode');
    await until(async () => (await countWaitingForLocks(server.database)) > 0);
    const before = stream.comments.length;
    await until(() => stream.comments.length > before + 2, 8_000);
  });
  await server.record(1);
  await until(() => stream.frames.length === 2);
  assert.deepEqual(
    stream.frames.map(({ id }) => id),
    [1, 2],
  );
  stream.close();
  await server.stop();
});
