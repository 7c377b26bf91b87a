import { newId, parseId } from '../../src/kernel/ids.ts';
import type { NewRequest } from '../../src/messages/commit/begin-store.ts';
import type { Queryable } from '../../src/store/database.ts';
import type { TestGateway } from './gateway.ts';

/** A request without messages, of the gateway's account, from its test channel, and of another node. */
export async function requestTemplate(gateway: TestGateway): Promise<NewRequest> {
  const { json } = await gateway.call('GET', '/api/v1/channels');
  return {
    accountId: gateway.accountId,
    id: newId(),
    mode: 'test',
    channelId: parseId('chn', json.data[0].id) ?? '',
    keyId: newId(),
    nodeId: await addNodeElsewhere(gateway.database),
    clientReference: null,
    content: { type: 'text', text: { body: 'Hello', preview_url: false } },
    refused: [],
    intended: [],
    traceparent: null,
    idempotency: null,
    bytes: 0,
  };
}

/** Adds a node that only the test takes for gone. If it really were, the gateway's own rounds would settle some of its work. */
export async function addNodeElsewhere(store: Queryable): Promise<string> {
  const id = newId();
  await store.query(
    `insert into node (id, host, pid, lease_until) values ($1, 'elsewhere', 1, now() + interval '4 minutes')`,
    [id],
  );
  return id;
}
