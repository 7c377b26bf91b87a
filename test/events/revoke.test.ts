import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseId } from '../../src/kernel/ids.ts';
import { startTestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { openStream } from './open-stream.ts';

/** 2 s are promised; the rest is for a machine that is busy with other tests. */
const REVOKED_WITHIN_MS = 15_000;

it('a revoked key loses its stream within seconds, and the other keys of the account keep theirs', async () => {
  const gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  try {
    const key = await gateway.createKey({});
    const [stream, other] = [await openStream(gateway.url, key), await openStream(gateway.url, gateway.testKey)];
    const id = parseId('key', (await gateway.call('GET', '/api/v1/account', { key })).json.key.id);
    const startMs = performance.now();
    await gateway.database.query('update api_key set revoked_at = now() where id = $1', [id]);
    assert.equal(await stream.ended, 'ended');
    assert.ok(performance.now() - startMs < REVOKED_WITHIN_MS);
    const body = { to: '+15552000001', type: 'text', text: { body: 'Hello' } };
    await gateway.call('POST', '/api/v1/messages/send', { body });
    await until(() => other.frames.length === 1);
    assert.equal(other.frames[0]?.event, 'message.unknown');
    assert.deepEqual(stream.frames, []);
    other.close();
  } finally {
    await gateway.stop();
  }
});
