import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { hashApiKey, mintApiKey } from '../../src/accounts/api-key.ts';
import { formatId, newId } from '../../src/kernel/ids.ts';
import type { Mode } from '../../src/kernel/principal.ts';
import { createSealer } from '../../src/kernel/sealed.ts';
import { hashBody } from '../../src/messages/send/idempotency.ts';
import { findStopped } from '../../src/people/preference-store.ts';
import { migrate } from '../../src/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { isProcessed, messagesBody, sendOne, statusOf } from '../support/notifications.ts';
import { until } from '../support/until.ts';
import { migrateTo } from './older-schema.ts';

/** The schema of the first version. The start applies the later migrations. */
const FIRST_MIGRATIONS = 5;
const LINE = { phoneNumberId: '1001', businessAccountId: '2001', phoneNumber: '+15550781000' };
/** The business accounts whose marketing messages somebody has stopped, with the modes of their channels, which are gone. */
const STOPPED = { '3001': ['live'], '3002': ['test'], '3003': ['live', 'test'] } as const;
const STOPPER = '+447700900103';
const SEND = JSON.stringify({ to: ['+447700900101'], type: 'text', text: { body: 'Once' } });

const ids = {
  ...{ account: newId(), key: newId(), channel: newId(), endpoint: newId(), node: newId(), event: newId() },
  ...{
    done: newId(),
    accepted: newId(),
    running: newId(),
    words: newId(),
    underWay: newId(),
    inbound: newId(),
    waiting: newId(),
  },
};
const ANSWER = JSON.stringify({
  ...{ request_id: formatId('req', ids.done), account_id: ids.account, type: 'text' },
  ...{ accepted_count: 1, failed_count: 0, unknown_count: 0 },
  results: [{ to: '+447700900101', status: 'accepted', id: formatId('msg', ids.accepted), message_id: 'provider-1' }],
});
const masterKey = randomBytes(32);
const sealer = createSealer(masterKey);
const key = mintApiKey('test');
const OF_ACCOUNT = { account_id: ids.account };
const TOKEN = { access_token_sealed: sealer.seal('a-token', ids.channel), phone_number: LINE.phoneNumber };
let testDatabase: TestDatabase;
let gateway: TestGateway;

before(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  await migrateTo(testDatabase.database, FIRST_MIGRATIONS);
  await fill();
  await migrate(testDatabase.database);
  const settings = { WAYPOST_MASTER_KEY: masterKey.toString('base64') };
  const started = await startTestGateway({ testDatabase, settings });
  gateway = { ...started, accountId: ids.account, testKey: key };
});
after(() => gateway.stop());

const call = (method: string, path: string, options = {}) => gateway.call(method, path, { key, ...options });

describe('a gateway that starts on what the first version has left', () => {
  it('reads its messages, with content and history', async () => {
    await until(() => isProcessed(gateway));
    const { json } = await call('GET', `/api/v1/messages/${formatId('msg', ids.accepted)}`);
    assert.deepEqual([json.text, json.from, json.status], [{ body: 'Once' }, LINE.phoneNumber, 'read']);
    assert.deepEqual(
      json.timeline.map(({ status }: { status: string }) => status),
      ['accepted', 'delivered', 'read'],
    );
    const inbound = (await call('GET', `/api/v1/messages/${formatId('msg', ids.inbound)}`)).json;
    assert.deepEqual([inbound.text, inbound.status], [{ body: 'Hello' }, 'received']);
    assert.equal((await call('GET', `/api/v1/requests/${formatId('req', ids.done)}`)).json.accepted_count, 1);
  });

  it('settles what was under way, sends, and replays the answers of before', async () => {
    const underWay = `/api/v1/messages/${formatId('msg', ids.underWay)}`;
    await until(async () => (await call('GET', underWay)).json.status === 'unknown');
    const headers = { 'idempotency-key': 'before' };
    const again = await call('POST', '/api/v1/messages/send', { body: SEND, headers });
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [ANSWER, 'true']);
    assert.equal((await gateway.call('POST', '/api/v1/messages/send', { key, body: SEND })).json.accepted_count, 1);
    assert.equal((await sendOne(gateway)).status, 'accepted');
  });

  it('applies the notifications that waited, and goes on numbering events', async () => {
    const { data, oldest_sequence: oldest } = (await call('GET', '/api/v1/events')).json;
    assert.equal(oldest, 7);
    const told = data.map(({ sequence, type }: { sequence: number; type: string }) => `${sequence} ${type}`);
    assert.deepEqual([told[0], told.length], ['7 account.updated', 3]);
    assert.deepEqual(
      told
        .slice(1)
        .map((text: string) => text.slice(2))
        .toSorted(),
      ['message.read', 'message.unknown'],
    );
    const endpoint = (await call('GET', `/api/v1/endpoints/${formatId('end', ids.endpoint)}`)).json;
    assert.equal(endpoint.url, 'https://example.com/hook');
  });

  it('keeps the stops of marketing messages, in the modes in which the account has had a channel there', async () => {
    for (const [businessAccountId, modes] of Object.entries(STOPPED)) {
      const owner = { accountId: ids.words, businessAccountId };
      const stopped = async (mode: Mode) =>
        (await findStopped(gateway.database, { ...owner, mode }, [STOPPER])).has(STOPPER);
      const expected = { live: modes.some((mode) => mode === 'live'), test: modes.some((mode) => mode === 'test') };
      assert.deepEqual({ live: await stopped('live'), test: await stopped('test') }, expected, businessAccountId);
    }
  });

  it('leaves a database that the first version does not refuse, because nothing since is breaking', async () => {
    await migrateTo(testDatabase.database, FIRST_MIGRATIONS);
  });
});

/** Fills the database as the first version did: with a request that is done, one that a crash cut off, and what came in. */
async function fill(): Promise<void> {
  await fillAccount();
  await fillMessages();
  await fillEvents();
  await fillStops();
  const read = messagesBody(LINE, { statuses: [statusOf('read', { providerId: 'provider-1' })] });
  await insert('notification', [{ id: ids.waiting, origin: 'test', body: Buffer.from(JSON.stringify(read)) }]);
}

async function fillAccount(): Promise<void> {
  await insert('account', [{ id: ids.account, name: 'Acme' }]);
  await insert('api_key', [{ ...OF_ACCOUNT, id: ids.key, name: 'Backend', mode: 'test', sha256: hashApiKey(key) }]);
  const line = { phone_number_id: LINE.phoneNumberId, business_account_id: LINE.businessAccountId };
  await insert('channel', [{ ...OF_ACCOUNT, id: ids.channel, mode: 'test', ...line, ...TOKEN, is_default: true }]);
  await insert('master_key_check', [{ sealed: sealer.seal('waypost', 'master-key-check') }]);
}

async function fillMessages(): Promise<void> {
  const by = { channel_id: ids.channel, key_id: ids.key, node_id: ids.node };
  const request = { ...OF_ACCOUNT, mode: 'test', ...by, type: 'text', content: JSON.stringify({ body: 'Once' }) };
  const intent = [{ id: ids.underWay, phone: '+447700900102', own_reference: false, status: 'transmitting' }];
  await insert('request', [
    { ...request, id: ids.done, message_ids: [ids.accepted], completed_at: new Date() },
    { ...request, id: ids.running, message_ids: [ids.underWay], intent: JSON.stringify(intent) },
  ]);
  const message = { ...OF_ACCOUNT, channel_id: ids.channel, mode: 'test', type: 'text', updated_at: new Date() };
  const accepted = { outcome: 'accepted', outcome_at: new Date(), provider_message_id: 'provider-1' };
  const received = { outcome: 'received', outcome_at: new Date(), provider_message_id: 'provider-2' };
  const inbound = { direction: 'inbound', status: 'received', ...received, content: '{"body": "Hello"}' };
  await insert('message', [
    { ...message, id: ids.accepted, request_id: ids.done, direction: 'outbound', status: 'delivered', ...accepted },
    { ...message, id: ids.inbound, ...inbound },
  ]);
  const step = { status: 'delivered', at: new Date(), received_at: new Date() };
  await insert('timeline', [{ ...OF_ACCOUNT, message_id: ids.accepted, id: newId(), ...step }]);
  const tomorrow = new Date(Date.now() + 80_000_000);
  const idempotency = { ...OF_ACCOUNT, mode: 'test', key: 'before', request_id: ids.done, expires_at: tomorrow };
  await insert('idempotency', [{ ...idempotency, body_sha256: hashBody(Buffer.from(SEND)), answer: ANSWER }]);
}

async function fillEvents(): Promise<void> {
  await insert('event_sequence', [{ ...OF_ACCOUNT, mode: 'test', last: 7 }]);
  const event = { ...OF_ACCOUNT, id: ids.event, mode: 'test', sequence: 7, type: 'account.updated', at: new Date() };
  const account = { id: ids.account, name: 'Acme', suspended: false, created_at: new Date() };
  await insert('event', [{ ...event, data: JSON.stringify({ account }) }]);
  const sealed = sealer.seal('c2VjcmV0', ids.endpoint);
  const hook = { url: 'https://example.com/hook', secret_sealed: sealed, enabled: false };
  await insert('endpoint', [{ ...OF_ACCOUNT, id: ids.endpoint, mode: 'test', ...hook }]);
  await insert('delivery', [{ ...OF_ACCOUNT, endpoint_id: ids.endpoint, event_id: ids.event }]);
}

async function fillStops(): Promise<void> {
  await insert('account', [{ id: ids.words, name: 'Words' }]);
  for (const [business, modes] of Object.entries(STOPPED)) {
    const gone = { account_id: ids.words, ...TOKEN, business_account_id: business, status: 'removed' };
    await insert(
      'channel',
      modes.map((mode) => ({ ...gone, id: newId(), mode, phone_number_id: `${business}-${mode}` })),
    );
    const word = { account_id: ids.words, business_account_id: business, person: STOPPER };
    await insert('marketing_preference', [{ ...word, stopped: true, at: new Date() }]);
  }
}

async function insert(table: string, rows: Record<string, unknown>[]): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row);
    const places = columns.map((_, place) => `$${place + 1}`);
    const values = Object.values(row);
    await testDatabase.database.query(`insert into ${table} (${columns}) values (${places})`, values);
  }
}
