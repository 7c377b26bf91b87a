import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { ownDatabase } from '../support/own-database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';
import { openStream } from './open-stream.ts';

it('a gateway that is asked to stop ends its streams and answers the feeds that wait, at once', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-events-'));
  const sandbox = await startSandboxBeside();
  t.after(() => sandbox.stop());
  const gateway = await startGatewayProcess(dataDir, { ...(await ownDatabase(t)), ...sandbox.settings });
  const { base_url: url, test_key: key } = gateway.dev;
  try {
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(url, key)));
    const [stopped, ...others] = streams;
    stopped?.answer.pause();
    const { json } = await sendText(gateway.dev, phoneNumbers(1, 10));
    assert.equal(json.accepted_count, 10);
    await until(() => others.every(({ frames }) => frames.length === 30));
    const feeds = [1, 2, 3].map(() => readApi(gateway.dev, '/api/v1/events?after=30&wait=30'));
    const seen = await readApi(gateway.dev, '/api/v1/events?after=28');
    assert.deepEqual(
      seen.json.data,
      others[0]?.frames.slice(28).map(({ data }) => data),
    );

    const startMs = performance.now();
    assert.equal(await gateway.stop(), 0);
    const tookMs = performance.now() - startMs;
    assert.ok(tookMs < 20_000, `${tookMs} ms`);
    for (const { ended } of others) assert.equal(await ended, 'ended');
    for (const { status, json: page } of await Promise.all(feeds)) {
      assert.equal(status, 200);
      assert.deepEqual([page.data, page.latest_sequence], [[], 30]);
    }
  } finally {
    await gateway.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});
