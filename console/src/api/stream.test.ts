import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { number, record } from './decode.ts';
import { readStream } from './stream.ts';

it('a connection that is made and never answered is given up, as one that falls silent is', async (t) => {
  let asked = 0;
  const server = createServer((_, answer) => {
    asked += 1;
    if (asked === 1) return;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write('id: 8\ndata: {"sequence":8}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const path = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/events/stream`;
  const stop = new AbortController();
  t.after(() => {
    stop.abort();
    server.closeAllConnections();
    server.close();
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const states: string[] = [];
  const heard: number[] = [];
  const reading = readStream(
    {
      ...{ key: 'wp_test_any', path, after: 7, decode: record({ sequence: number }) },
      onEvents: (events) => heard.push(...events.map(({ sequence }) => sequence)),
      onState: ({ kind }) => states.push(kind),
    },
    stop.signal,
  );
  await until(() => asked === 1);
  t.mock.timers.tick(45_000);
  await until(() => states.includes('waiting'));
  t.mock.timers.tick(1_000);
  await until(() => heard.length === 1);
  assert.deepEqual(states, ['connecting', 'waiting', 'connecting', 'live']);
  stop.abort();
  await reading;
});
