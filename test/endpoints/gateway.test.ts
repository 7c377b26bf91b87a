import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { phoneNumbers, sendText } from '../support/call-gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { callApi } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/process.ts';
import { type SandboxBeside, startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const MESSAGES = 20;

describe('a gateway with an endpoint', () => {
  let dataDir: string;
  let store: TestDatabase;
  let sandbox: SandboxBeside;
  let gateway: GatewayProcess | undefined;
  let receiver: Receiver;
  let failing = false;
  const taken = new Map<string, number>();
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'waypost-endpoints-'));
    store = await createTestDatabase();
    sandbox = await startSandboxBeside();
    receiver = await startReceiver((response, place) => {
      const id = receiver.received[place]?.headers['webhook-id'] ?? '';
      if (!failing) taken.set(id, (taken.get(id) ?? 0) + 1);
      response.writeHead(failing ? 500 : 204).end();
    });
  });
  after(async () => {
    await gateway?.stop();
    await sandbox.stop();
    await receiver.close();
    await store.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = () => startGatewayProcess(dataDir, { DATABASE_URL: store.url, ...sandbox.settings });
  const countOf = async (sql: string) =>
    (await store.database.query<{ count: number }>(`select count(*) as count from ${sql}`))[0]?.count ?? 0;

  it('delivers what it recorded, though it is killed in the middle', async () => {
    gateway = await start();
    const { base_url: url, test_key: key } = gateway.dev;
    const created = await callApi(url, 'POST', '/api/v1/endpoints', { key, body: { url: receiver.url } });
    assert.equal(created.status, 201, created.text);

    await sendText(gateway.dev, phoneNumbers(1, MESSAGES));
    await until(() => taken.size === 3 * MESSAGES);
    for (const { body, headers } of receiver.received)
      assert.doesNotThrow(() => new Webhook(created.json.secret).verify(body, headers));

    failing = true;
    await sendText(gateway.dev, phoneNumbers(2, MESSAGES));
    await until(async () => (await countOf('event')) === 6 * MESSAGES);
    await gateway.kill();
    assert.ok((await countOf('delivery')) > 0);

    failing = false;
    // Leases and waits go by the database's clock. Here they end at once.
    await store.database.query('update delivery set claimed_until = null, next_at = now()');
    gateway = await start();
    await until(() => taken.size === 6 * MESSAGES);
    await until(async () => (await countOf('delivery')) === 0);
  });

  it('gives no one the secrets of an endpoint by its output', async () => {
    assert.ok(gateway);
    assert.doesNotMatch(gateway.output(), /whsec_/);
  });
});
