import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { formatId, newId } from '../../src/kernel/ids.ts';
import { routesAsData } from '../../src/routes-as-data.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** What needs a key, is no GET, and is not in the audit log. */
const NOT_IN_IT: Record<string, string> = {
  'POST /api/v1/messages/send': 'It is kept as a request and its messages.',
  'POST /api/v1/messages/validate': 'It changes nothing.',
  'POST /api/v1/templates/sync': 'It reads what the provider has.',
  'POST /api/v1/endpoints/:id/test': 'It is kept as an attempt.',
  'POST /api/v1/endpoints/:id/check-signature': 'It changes nothing.',
};
const ENDPOINT = '/api/v1/endpoints';
const ACCOUNT = '/platform/v1/accounts';
const KEY = '/platform/v1/keys/:id';
const CHANNEL = '/platform/v1/channels/:id';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('every call that changes something with a key is in the audit log', async () => {
  const audited: string[] = [];
  const change = async (route: string, id = '', body?: unknown) => {
    const [method = '', path = ''] = route.split(' ');
    const key = path.startsWith('/platform/') ? gateway.platformKey : gateway.testKey;
    const before = await newestEntry();
    const { status, text, json } = await gateway.call(method, path.replace(':id', id), {
      key,
      ...(body !== undefined && { body }),
    });
    assert.ok(status < 300, `${route}: ${text}`);
    assert.notEqual((await newestEntry()).id, before?.id, `${route} is not in the audit log`);
    audited.push(route);
    return json;
  };

  const endpoint = await change(`POST ${ENDPOINT}`, '', { url: 'https://example.com/' });
  await change(`PATCH ${ENDPOINT}/:id`, endpoint.id, { description: 'Another' });
  await change(`POST ${ENDPOINT}/:id/rotate-secret`, endpoint.id, {});
  await change(`POST ${ENDPOINT}/:id/replay`, endpoint.id, { after_sequence: 0 });
  await change(`DELETE ${ENDPOINT}/:id`, endpoint.id);

  const account = await change(`POST ${ACCOUNT}`, '', { name: 'Audited' });
  await change(`PATCH ${ACCOUNT}/:id`, account.id, { name: 'Renamed' });
  const made = await change(`POST ${ACCOUNT}/:id/keys`, account.id, { name: 'Any', mode: 'test' });
  await change(`POST ${KEY}/roll`, made.id, {});
  await change(`DELETE ${KEY}`, made.id);
  const number = { phone_number_id: '777011', business_account_id: '888011', display_phone_number: '+15550783871' };
  const wish = { ...number, access_token: 'a-token', mode: 'test' };
  const channel = await change(`POST ${ACCOUNT}/:id/channels`, account.id, wish);
  await change(`PATCH ${CHANNEL}`, channel.id, { default: true });
  await change(`DELETE ${CHANNEL}`, channel.id);
  await change(`POST ${ACCOUNT}/:id/erase`, account.id, { to: '+447700900765' });
  await change(`DELETE ${ACCOUNT}/:id`, account.id);
  await change('POST /platform/v1/notifications/:id/reprocess', await setAside(), {});

  const routes = routesAsData().filter(({ access, method }) => access.by !== 'anyone' && method !== 'GET');
  assert.deepEqual(
    routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    [...audited, ...Object.keys(NOT_IN_IT)].toSorted(),
  );
});

async function newestEntry() {
  const { json } = await gateway.call('GET', '/platform/v1/audit?limit=1', { key: gateway.platformKey });
  return json.data[0];
}

/** A notification that could not be applied. */
async function setAside(): Promise<string> {
  const id = newId();
  await gateway.database.query(
    "insert into notification (id, origin, body, state, error) values ($1, 'test', '{}', 'set_aside', 'undecodable')",
    [id],
  );
  return formatId('ntf', id);
}
