import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type ListingServer, startListingServer } from '../../test/templates/listing-server.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import type { Provider } from '../provider/port.ts';
import { createWhatsAppProvider } from '../provider/whatsapp/client/client.ts';
import { changeChannel, removeChannel } from './change.ts';
import { connectChannel } from './connect.ts';
import { type ChannelRow, listChannelRows } from './store.ts';

const sealer = createSealer(Buffer.alloc(32));
const isNotFound = (error: unknown) => error instanceof ApiError && error.code === 'not_found';

let test: TestDatabase;
let server: ListingServer;
let provider: Provider & { close(): Promise<void> };
let accountId: string;
/** What happens while the provider is asked. */
let meanwhile: () => Promise<unknown>;

before(async () => {
  test = await createTestDatabase();
  server = await startListingServer();
  server.answer = async () => {
    await meanwhile();
    return { body: { success: true, throughput: { level: 'HIGH' } } };
  };
  const live = { url: server.url, version: 'v25.0' };
  provider = createWhatsAppProvider({ live, timeoutMs: 5_000, connections: 1 });
});
after(async () => {
  await provider.close();
  await server.close();
  await test.drop();
});
beforeEach(async () => {
  accountId = newId();
  await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  meanwhile = async () => undefined;
});

const deps = () => ({ database: test.database, provider, sealer });
const connect = (phoneNumberId: string): Promise<ChannelRow> => {
  const line = { phoneNumberId, businessAccountId: '2', phoneNumber: '+15550790000' };
  return connectChannel(deps(), { accountId, mode: 'live', ...line, accessToken: 'token', isDefault: false });
};
const list = () => listChannelRows(test.database, { accountId, mode: null }, null, 10);
const deleteAccount = () => test.database.query('update account set deleted_at = now() where id = $1', [accountId]);

describe('while the provider is asked', () => {
  it('its answer is what is known of a number from then on', async () => {
    assert.equal((await connect('1001')).throughput_per_second, 1_000);
  });

  it('the account may be deleted: then nothing is connected, and nothing changed', async () => {
    const channel = await connect('1002');
    meanwhile = deleteAccount;
    await assert.rejects(connect('1003'), isNotFound);
    await assert.rejects(changeChannel(deps(), channel, { accessToken: 'new' }), isNotFound);
    assert.deepEqual(await list(), [channel]);
  });

  it('the channel may be removed: then it is not changed, and stays removed', async () => {
    const channel = await connect('1004');
    let removing: Promise<void> | undefined;
    meanwhile = async () => {
      removing ??= removeChannel(test.database, channel);
      await removing;
    };
    await assert.rejects(changeChannel(deps(), channel, { accessToken: 'new', isDefault: true }), isNotFound);
    const [{ status, access_token_sealed: token } = channel] = await list();
    assert.deepEqual([status, token.length], ['removed', 0]);
  });
});
