import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { startReceiver } from '../../test/endpoints/receiver.ts';
import { type LiveWorld, startLiveWorld } from '../../test/pacing/live-world.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { endDeletions, endErasures } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postAndApply,
  postSigned,
  sendOne,
  type TestLine,
  textFrom,
} from '../../test/support/notifications.ts';
import { PATIENT } from '../../test/support/patient.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { whileTheyTakeTooLong } from '../../test/support/take-too-long.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { createAccount } from '../accounts/accounts.ts';
import { createEndpoint } from '../endpoints/change.ts';
import { appendEvents, holdEventLog } from '../events/store.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { RECOVERY_MS } from '../kernel/lease.ts';
import type { AccountPrincipal } from '../kernel/principal.ts';
import { createSealer } from '../kernel/sealed.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { expireErasedInboundIds } from '../messages/report/inbound-store.ts';
import { LATE_ANSWER_MS } from '../provider/port.ts';
import { openDatabase } from '../store/database.ts';
import { ANSWER_TIMEOUT_MS } from '../store/session.ts';
import { listAccountTables } from './account-store.ts';
import { deleteAccount } from './delete-account.ts';
import { eraseRound } from './erase-round.ts';
import { settledAfterMs } from './settled.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, path, { key: gateway.platformKey, ...(body !== undefined && { body }) });

async function rowsOf(accountId: string, { database } = gateway): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await listAccountTables(database)) {
    const [row] = await database.query<{ rows: number }>(
      `select count(*) as rows from ${table} where account_id = $1`,
      [accountId],
    );
    if (row !== undefined && row.rows > 0) counts[table] = row.rows;
  }
  return counts;
}

/** Connects a number that no account has any more. */
async function connect(accountId: string, { phoneNumberId }: TestLine): Promise<void> {
  const wish = {
    phone_number_id: phoneNumberId,
    business_account_id: '2001',
    display_phone_number: '+15550781234',
    access_token: 'a-token',
    mode: 'test',
  };
  assert.equal((await call('POST', `/platform/v1/accounts/${accountId}/channels`, wish)).status, 201);
}

const OWNER: Omit<AccountPrincipal, 'accountId'> = {
  ...{ kind: 'account', accountName: 'With endpoints', suspended: false, keyId: newId(), keyName: 'Any', mode: 'test' },
  ...{ scopes: undefined, expiresAt: undefined },
};

/** Lets a deleted account's data be erased at once. */
const letErase = (accountId: string) =>
  gateway.database.query(`update account set deleted_at = now() - interval '1 hour' where id = $1`, [accountId]);

async function fill(): Promise<void> {
  await sendOne(gateway);
  const body = { to: '+447700900801', type: 'text', text: { body: 'Once' } };
  await gateway.call('POST', '/api/v1/messages/send', { body, headers: { 'idempotency-key': 'once' } });
  const value = { messages: [textFrom('+447700900801', 'wamid.in')] };
  await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), value));
  await until(() => isProcessed(gateway));
  await gateway.database.query(
    `insert into endpoint (account_id, id, mode, url, secret_sealed) values ($1, $2, 'test', 'https://example.com', '')`,
    [gateway.accountId, newId()],
  );
}

describe('deleting an account', () => {
  it('begins no attempt at its endpoints any more, whatever is in memory for them', async () => {
    const accountId = await gateway.createAccount('With an endpoint');
    const key = await gateway.createKey({ accountId });
    const held: ServerResponse[] = [];
    const receiver = await startReceiver((response, place) => {
      if (place < 60) response.writeHead(204).end();
      else held.push(response);
    });
    after(() => receiver.close());
    await gateway.call('POST', '/api/v1/endpoints', { key, body: { url: receiver.url } });
    const draft = { accountId, mode: 'test', type: 'message.sent', data: { message: {} }, traceparent: null } as const;
    const record = (count: number) =>
      gateway.database.transaction((tx) => appendEvents(tx, new Array(count).fill(draft)));
    const rows = async (of: string) =>
      (await gateway.database.query(`select 1 from ${of} and account_id = $1`, [accountId])).length;
    // So many have to succeed in a row before as many are held in memory.
    await record(60);
    await until(async () => (await rows('attempt where true')) === 60);
    await record(60);
    await until(async () => held.length === 10 && (await rows('delivery where claimed_until > now()')) === 60);
    assert.equal((await call('DELETE', `/platform/v1/accounts/${accountId}`)).status, 202);
    for (const response of held) response.writeHead(204).end();
    await until(async () => (await rows('attempt where true')) === 70);
    assert.equal(receiver.received.length, 70);
  });

  it('leaves no endpoint on that is made or turned on in this moment', async () => {
    const accountId = await gateway.createAccount('With endpoints');
    const key = await gateway.createKey({ accountId });
    const { database } = gateway;
    const change = (method: string, path: string, body: object) =>
      gateway.call(method, `/api/v1/endpoints${path}`, { key, body });
    const { id } = (await change('POST', '', { url: 'https://example.com/off' })).json;
    await change('PATCH', `/${id}`, { enabled: false });
    const [holding, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const log = database.transaction(async (tx) => {
      await holdEventLog(tx, { accountId, mode: 'test' });
      holding.resolve();
      await held.promise;
    });
    await holding.promise;
    const changes = [
      change('POST', '', { url: 'https://example.com/new' }),
      change('PATCH', `/${id}`, { enabled: true }),
    ];
    const waiting = (count: number) => until(async () => (await countWaitingForLocks(database)) === count);
    await waiting(2);
    const deleted = call('DELETE', `/platform/v1/accounts/${accountId}`);
    await Promise.race([deleted, waiting(3)]);
    held.resolve();
    await log;
    assert.deepEqual(
      (await Promise.all([...changes, deleted])).map(({ status }) => status),
      [201, 200, 202],
    );
    // Elsewhere its key is believed for a moment more.
    const deps = { database, sealer: createSealer(randomBytes(32)), localEndpoints: false };
    const late = createEndpoint(deps, { ...OWNER, accountId }, { url: 'https://example.com/late' });
    await assert.rejects(late, { code: 'invalid_api_key' });
    assert.deepEqual(
      await database.query('select url from endpoint where account_id = $1 and enabled', [accountId]),
      [],
    );
  });

  it('stops it at once, and erases its data and no one else in the background', async () => {
    await fill();
    assert.equal((await gateway.call('GET', '/api/v1/account')).status, 200);
    const neighbour = await gateway.createAccount('Neighbour');
    const before = await rowsOf(gateway.accountId);
    for (const table of ['message', 'request', 'idempotency', 'inbound_id', 'event', 'endpoint', 'channel', 'api_key'])
      assert.ok((before[table] ?? 0) > 0, table);
    const neighbourBefore = await rowsOf(neighbour);
    const path = `/platform/v1/accounts/${gateway.accountId}`;
    const line = await lineOf(gateway);
    const [key] = await gateway.database.query<{ id: string }>('select id from api_key where account_id = $1 limit 1', [
      gateway.accountId,
    ]);
    const ofKey = `/platform/v1/keys/${formatId('key', key?.id ?? '')}`;
    const answer = await call('DELETE', path);
    assert.deepEqual([answer.status, answer.text], [202, '']);
    assertProblem(await gateway.call('GET', '/api/v1/account'), 'invalid_api_key');

    for (const [method, at, body] of [
      ['GET', path],
      ['DELETE', path],
      ['PATCH', path, { name: 'Back' }],
      ['POST', `${path}/keys`, { name: 'New', mode: 'test' }],
      ['GET', `${path}/channels`],
      ['POST', `${path}/erase`, { to: '+447700900801' }],
      ['POST', `${ofKey}/roll`, {}],
      ['DELETE', ofKey],
    ] as const)
      assertProblem(await call(method, at, body), 'not_found');
    const listed = await call('GET', '/platform/v1/accounts');
    assert.ok(!listed.text.includes(gateway.accountId) && listed.text.includes(neighbour));
    // Its number can be connected again, by another account.
    await connect(neighbour, line);

    assert.ok(((await rowsOf(gateway.accountId)).message ?? 0) > 0, 'what is under way may still be written');
    await letErase(gateway.accountId);
    const gone = () => gateway.database.query('select 1 from account where id = $1', [gateway.accountId]);
    await until(async () => (await gone()).length === 0);
    assert.deepEqual(await rowsOf(gateway.accountId), {});
    const neighbourAfter = await rowsOf(neighbour);
    for (const [table, rows] of Object.entries(neighbourBefore)) assert.ok((neighbourAfter[table] ?? 0) >= rows, table);
    const audit = (await call('GET', `/platform/v1/audit?account_id=${gateway.accountId}`)).json.data;
    assert.deepEqual(
      audit.slice(0, 2).map(({ action }: { action: string }) => action),
      ['account.erased', 'account.deleted'],
    );
  });

  it('tells the next owner of its number nothing that the provider repeats, once it is erased too', async () => {
    const [erased, next] = [await gateway.createAccount('Erased'), await gateway.createAccount('Next')];
    const line = await lineOf(gateway, erased);
    const beside = { ...line, phoneNumberId: '5550197', phoneNumber: '+15550000197' };
    await addChannel(gateway, { ...beside, accountId: erased, mode: 'test' });
    const [person, other] = ['+447700900802', '+447700900803'];
    const repeated = [textFrom(person, 'wamid.of-a-person-erased'), textFrom(other, 'wamid.of-another')];
    const post = (messages: object[]) => postAndApply(gateway, messagesBody(line, { messages }));
    const idsOf = (accountId: string) =>
      gateway.database.query(
        `select provider_message_id as id from message where account_id = $1 and direction = 'inbound'`,
        [accountId],
      );
    await post(repeated);
    assert.equal((await idsOf(erased)).length, 2);
    const path = `/platform/v1/accounts/${erased}`;
    assert.equal((await call('POST', `${path}/erase`, { to: person })).status, 202);
    await endErasures(gateway.database, 0);
    assert.equal((await call('DELETE', path)).status, 202);
    await letErase(erased);
    await until(
      async () =>
        (await call('GET', `/platform/v1/audit?account_id=${erased}`)).json.data[0].action === 'account.erased',
    );
    await connect(next, line);
    await post([...repeated, textFrom(person, 'wamid.new')]);
    assert.deepEqual(await idsOf(next), [{ id: 'wamid.new' }]);
    await connect(next, beside);
    await postAndApply(gateway, messagesBody(beside, { messages: [textFrom(other, 'wamid.of-another')] }));
    assert.equal((await idsOf(next)).length, 2, 'that one came for another number of the account');

    const left = () => gateway.database.query('select 1 from erased_inbound_id');
    assert.equal(await expireErasedInboundIds(gateway.database, 38), 0);
    assert.ok((await left()).length >= repeated.length);
    await gateway.database.query(`update erased_inbound_id set created_at = now() - interval '38 days'`);
    await expireErasedInboundIds(gateway.database, 38);
    assert.deepEqual(await left(), []);
  });
});

describe('deleting an account where sends may take longest', () => {
  const limits = { sendDeadlineMs: 120_000, providerTimeoutMs: 120_000 };
  let world: LiveWorld;
  let slow: TestGateway;
  before(async () => {
    world = await startLiveWorld(PATIENT);
    slow = world.gateway;
  });
  after(() => world.stop());

  async function deleteSince(accountId: string, seconds: number): Promise<void> {
    const answer = await slow.call('DELETE', `/platform/v1/accounts/${accountId}`, { key: slow.platformKey });
    assert.equal(answer.status, 202);
    await age(accountId, seconds);
  }
  const age = (accountId: string, seconds: number) =>
    slow.database.query('update account set deleted_at = deleted_at - make_interval(secs => $2) where id = $1', [
      accountId,
      seconds,
    ]);
  const isThere = async (accountId: string) =>
    (await slow.database.query('select 1 from account where id = $1', [accountId])).length > 0;
  const isGone = async (accountId: string) => !(await isThere(accountId));

  it('erases nothing before an answer that comes as late as it may is written', async () => {
    const accountId = await slow.createAccount('Short-lived');
    const asking = limits.sendDeadlineMs + LATE_ANSWER_MS + limits.providerTimeoutMs;
    const latest = asking + ANSWER_TIMEOUT_MS + RECOVERY_MS;
    await deleteSince(accountId, latest / 1_000);
    await eraseRound(slow.database, settledAfterMs(limits));
    assert.equal(await isThere(accountId), true);
    await age(accountId, settledAfterMs(limits) / 1_000);
    await until(() => isGone(accountId));
  });

  it('erases no further batch once the process stops', async () => {
    const accountId = await slow.createAccount('Unfinished');
    await deleteSince(accountId, 0);
    assert.equal(await eraseRound(slow.database, 0, AbortSignal.abort()), 0);
    assert.equal(await isThere(accountId), true);
    await eraseRound(slow.database, 0, new AbortController().signal);
    assert.equal(await isGone(accountId), true);
  });

  it('holds up nobody else where the database does not erase an account, or a person, in time', async () => {
    const [first, second] = [await slow.createAccount('Stuck'), await slow.createAccount('Behind it')];
    const eraseOne = async (accountId: string) => {
      const path = `/platform/v1/accounts/${accountId}/erase`;
      const answer = await slow.call('POST', path, { key: slow.platformKey, body: { to: '+447700900802' } });
      assert.equal(answer.status, 202);
    };
    const kinds = [
      `delete on account for each row when (old.id = '${first}')`,
      `update on erasure for each row when (new.account_id = '${second}')`,
    ];
    await whileTheyTakeTooLong(slow.database, kinds, async () => {
      await eraseOne(second);
      await eraseOne(await slow.createAccount('Neighbour'));
      await until(async () => (await slow.database.query('select 1 from erasure where down_step > 0')).length === 1);
      await deleteSince(first, 7_200);
      await deleteSince(second, 3_600);
      await until(() => isGone(second));
      assert.equal(await isThere(first), true);
      // The failed rounds are what an operator sees of it. One finds nothing while the gateway itself is at work on that account.
      const fails = (error: unknown) => error instanceof StoreUnavailable;
      await until(() => eraseRound(slow.database, 0).then(() => false, fails));
    });
  });

  it('erases nothing while a send is under way, and leaves nothing when it has ended', async () => {
    const from = await world.connect();
    const answer = world.provider.hold();
    const sending = world.sendText(from, ['+447700900801']);
    await until(() => world.provider.taken.length === 1);
    // As after an outage of the database, in which the send could not be written.
    await deleteSince(slow.accountId, 3_600);
    await eraseRound(slow.database, settledAfterMs(limits));
    assert.equal(await isThere(slow.accountId), true);
    answer();
    assert.equal((await sending).status, 200);
    await until(() => isGone(slow.accountId));
    // The send's minute may be marked a second later, to be counted; that leaves nothing, because there is nothing to count.
    await until(async () => Object.keys(await rowsOf(slow.accountId, slow)).length === 0);
  });
});

it('erasing an account leaves other people’s tables of the same database alone', async (t) => {
  const test = await createTestDatabase();
  t.after(test.drop);
  const [at] = await test.database.query<{ name: string }>('select current_database() as name');
  for (const sql of [
    'create table invoice (account_id bigint)',
    'create schema shop',
    'create table shop.basket (account_id uuid)',
    `alter database ${at?.name} set search_path to public, shop`,
  ])
    await test.database.query(sql);
  const database = openDatabase({ connection: test.connection, connections: 1, onError: () => undefined });
  t.after(database.close);
  const account = await createAccount(database, { name: 'Shared', actor: 'test' }, async () => undefined);
  await database.query('insert into basket values ($1)', [account.id]);
  await deleteAccount(database, account.id);
  await endDeletions(database);
  assert.deepEqual(await database.query('select id from account'), []);
  assert.deepEqual(await database.query('select account_id from basket'), [{ account_id: account.id }]);
});
