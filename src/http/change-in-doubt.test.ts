import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { startTestGateway, type TestAnswer, type TestGateway } from '../../test/support/gateway.ts';
import { asSandbox, postSigned } from '../../test/support/notifications.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { until } from '../../test/support/until.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { Database } from '../store/database.ts';
import { changeInDoubt } from './change-in-doubt.ts';

const SECRET = 'the connection to 10.1.2.3 broke';
const ENDPOINT = { url: 'https://example.com/hook' };

let gateway: TestGateway;
/** Whose commit is carried out, and then heard of no more. undefined: nobody's. */
let losing: RegExp | undefined;
const logged: string[] = [];

before(async () => {
  const test = await createTestDatabase();
  const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) });
  gateway = await startTestGateway({ testDatabase: { ...test, database: losingCommits(test.database) }, log });
});
after(() => gateway.stop());

describe('a change whose commit is in doubt', () => {
  it('leaves open whether a key was rolled', async () => {
    const id = await aKey();
    await assertOpen('POST', `/platform/v1/keys/${id}/roll`, { key: gateway.platformKey });
    const again = await gateway.call('POST', `/platform/v1/keys/${id}/roll`, { key: gateway.platformKey });
    assertProblem(again, 'not_found');
  });

  it('leaves open whether a secret was rotated', async () => {
    const { json } = await gateway.call('POST', '/api/v1/endpoints', { body: ENDPOINT });
    await assertOpen('POST', `/api/v1/endpoints/${json.id}/rotate-secret`);
  });

  it('leaves open whether something was created, changed or deleted', async () => {
    const { json } = await gateway.call('POST', '/api/v1/endpoints', { body: ENDPOINT });
    await assertOpen('POST', '/api/v1/endpoints', { body: ENDPOINT });
    await assertOpen('PATCH', `/api/v1/endpoints/${json.id}`, { body: { enabled: false } });
    await assertOpen('DELETE', `/api/v1/endpoints/${json.id}`);
    await assertOpen('POST', '/platform/v1/accounts', { key: gateway.platformKey, body: { name: 'In doubt' } });
  });

  it('is answered 503 as before of a send, which is taken back, and of a notification, which comes again', async () => {
    const send = { to: '+447700900123', type: 'text', text: { body: 'hello' } };
    const headers = { 'idempotency-key': 'in-doubt' };
    const refused = await lose(/insert into request/, () =>
      gateway.call('POST', '/api/v1/messages/send', { body: send, headers }),
    );
    assertProblem(refused, 'unavailable');
    const again = () => gateway.call('POST', '/api/v1/messages/send', { body: send, headers });
    const { status } = await until(async () => ((answer) => answer.status !== 409 && answer)(await again()));
    assert.equal(status, 200);
    assert.equal((await gateway.call('GET', '/api/v1/messages?to=%2B447700900123')).json.data.length, 1);
    const posted = await lose(/insert into notification_pack/, () =>
      postSigned(asSandbox(gateway), { object: 'whatsapp_business_account', entry: [] }),
    );
    assert.equal(posted.status, 503);
  });

  it('is told of nothing else: not of a read, nor where surely nothing was changed', () => {
    const [open, sure] = [true, false].map((inDoubt) => new StoreUnavailable(new Error(SECRET), inDoubt));
    assert.equal(changeInDoubt({ method: 'POST' }, open)?.code, 'internal_error');
    assert.equal(changeInDoubt({ method: 'GET' }, open), undefined);
    for (const error of [sure, new Error(SECRET)]) assert.equal(changeInDoubt({ method: 'POST' }, error), undefined);
  });
});

async function assertOpen(method: string, path: string, call: Parameters<TestGateway['call']>[2] = {}): Promise<void> {
  const answer: TestAnswer = await lose(/insert into audit/, () => gateway.call(method, path, call));
  assertProblem(answer, 'internal_error');
  assert.match(answer.json.detail, /not known whether the change was made/);
  assert.ok(!answer.text.includes(SECRET));
  assert.ok(logged.some((line) => line.includes(answer.json.request_id) && line.includes(SECRET)));
}

async function aKey(): Promise<string> {
  const path = `/platform/v1/accounts/${gateway.accountId}/keys`;
  const body = { name: 'To be rolled', mode: 'test' };
  return (await gateway.call('POST', path, { key: gateway.platformKey, body })).json.id;
}

async function lose<Value>(what: RegExp, call: () => Promise<Value>): Promise<Value> {
  losing = what;
  try {
    return await call();
  } finally {
    losing = undefined;
  }
}

/** The real database. What is written by a statement that is being lost is committed, and the caller learns nothing of it. */
function losingCommits(real: Database): Database {
  const isLost = (sql: string) => losing?.test(sql) === true;
  const unlessLost = (lost: boolean) => {
    if (lost) throw new StoreUnavailable(new Error(SECRET), true);
  };
  return {
    ...real,
    async query<Row>(sql: string, values?: readonly unknown[]) {
      const rows = await real.query<Row>(sql, values);
      unlessLost(isLost(sql));
      return rows;
    },
    async transaction(work, limits) {
      let lost = false;
      const result = await real.transaction((tx) => {
        const query: typeof tx.query = (sql, values) => {
          lost ||= isLost(sql);
          return tx.query(sql, values);
        };
        return work({ ...tx, query });
      }, limits);
      unlessLost(lost);
      return result;
    },
  };
}
