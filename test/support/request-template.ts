import { newId, parseId } from '../../src/kernel/ids.ts';
import type { NewRequest } from '../../src/messages/commit/begin-store.ts';
import type { Queryable } from '../../src/store/database.ts';
import type { TestGateway } from './gateway.ts';
import { newRequest } from './new-request.ts';

/** A request without messages, of the gateway's account, from its test channel, and of another node. */
export async function requestTemplate(gateway: TestGateway): Promise<NewRequest> {
  const { json } = await gateway.call('GET', '/api/v1/channels');
  return newRequest([], {
    accountId: gateway.accountId,
    channelId: parseId('chn', json.data[0].id) ?? '',
    nodeId: await addNodeElsewhere(gateway.database),
  });
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
