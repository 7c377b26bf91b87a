import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { freePort } from '../../test/support/free-port.ts';
import { createReceiverSlot } from './receiver-slot.ts';

it('a receiver that is killed while it starts keeps nobody waiting, can be started again, and outlives half a request', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-receiver-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const slot = createReceiverSlot(join(dir, 'events'), await freePort(), 1);
  t.after(() => slot.kill());
  const starting = slot.start();
  slot.kill();
  await starting;
  await slot.start();
  // A gateway that is killed breaks off in the middle of a request.
  const half = connect(Number(new URL(slot.url()).port), '127.0.0.1');
  half.end('POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf').resume();
  await once(half, 'close');
  const answer = await fetch(slot.url(), { method: 'POST', body: '{}' });
  assert.ok([204, 500].includes(answer.status));
});
