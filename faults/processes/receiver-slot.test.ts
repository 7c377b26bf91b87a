import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { freePort } from '../../test/support/free-port.ts';
import { createReceiverSlot } from './receiver-slot.ts';

it('a receiver that is killed while it starts keeps nobody waiting, and can be started again', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-receiver-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const slot = createReceiverSlot(join(dir, 'events'), await freePort(), 1);
  t.after(() => slot.kill());
  const starting = slot.start();
  slot.kill();
  await starting;
  await slot.start();
  const answer = await fetch(slot.url(), { method: 'POST', body: '{}' });
  assert.ok([204, 500].includes(answer.status));
});
