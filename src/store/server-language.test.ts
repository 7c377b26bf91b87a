import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type DatabaseProxy, type Rewrite, startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createBatcher } from './batcher.ts';
import { type Database, openDatabase } from './database.ts';
import { surelyRolledBack } from './rolled-back.ts';
import { isUniqueViolation } from './unique-violation.ts';

const ENDS_ITS_CONNECTION = 'insert into item select pg_terminate_backend(pg_backend_pid())::int + 100';

describe('a server that speaks another language', () => {
  let test: TestDatabase;
  let proxy: DatabaseProxy;
  let database: Database;
  before(async () => {
    test = await createTestDatabase({ migrated: false });
    await test.database.query('create table item (id integer primary key)');
    proxy = await startDatabaseProxy(test.url, translateErrors);
    database = openDatabase({ connection: { url: proxy.url }, connections: 1, onError: () => undefined });
  });
  after(async () => {
    await database.close();
    await proxy.close();
    await test.drop();
  });

  it('tells what is wrong with a statement, which surely wrote nothing, and keeps the connection', async () => {
    const pid = await backendOf(database);
    const error = await rejection(database.query('insert into item values (1), (1)'));
    assert.ok(isUniqueViolation(error) && surelyRolledBack(error), String(error));
    await assert.rejects(
      database.transaction((tx) => tx.query('insert into item values (1), (1)')),
      isUniqueViolation,
    );
    assert.equal(await backendOf(database), pid);
  });

  it('does not spoil a batch by one bad item of it', async () => {
    const batcher = createBatcher<number, number>({
      itemsMax: 10,
      flush: async (ids) => {
        await database.query('insert into item select unnest($1::integer[])', [ids]);
        return ids;
      },
    });
    await database.query('insert into item values (2)');
    const [bad, good] = await Promise.allSettled([batcher.add(2), batcher.add(3)]);
    assert.ok(bad.status === 'rejected' && isUniqueViolation(bad.reason));
    assert.deepEqual(good, { status: 'fulfilled', value: 3 });
  });

  it('leaves in doubt what may be committed where it ends the connection', async () => {
    const error = await rejection(database.query(ENDS_ITS_CONNECTION));
    assert.ok(error instanceof StoreUnavailable && error.commitInDoubt, String(error));
    const inTransaction = await rejection(database.transaction((tx) => tx.query(ENDS_ITS_CONNECTION)));
    assert.ok(inTransaction instanceof StoreUnavailable && !inTransaction.commitInDoubt, String(inTransaction));
    assert.equal((await database.query('select 1')).length, 1);
  });
});

const WORDS: ReadonlyMap<string, string> = new Map([
  ['ERROR', 'ОШИБКА'],
  ['FATAL', 'ВАЖНО'],
]);
const HEAD_BYTES = 5;

/**
 * Puts Russian words in the place of English ones, where the server tells how bad an error is: `lc_messages` does so, and not every
 * machine has another language. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function translateErrors(): Rewrite {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= HEAD_BYTES && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      messages.push(translated(rest.subarray(0, end)));
      rest = rest.subarray(end);
    }
    return Buffer.concat(messages);
  };
}

function translated(message: Buffer): Buffer {
  if (message[0] !== 'E'.charCodeAt(0)) return message;
  const [, severity = ''] = /^S(\w+)\0/.exec(message.toString('latin1', HEAD_BYTES)) ?? [];
  const body = [Buffer.from(`S${WORDS.get(severity)}`), message.subarray(HEAD_BYTES + 1 + severity.length)];
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(HEAD_BYTES - 1 + Buffer.concat(body).length, 1);
  return Buffer.concat([head, ...body]);
}

async function backendOf(one: Database): Promise<number> {
  const [row] = await one.query<{ pid: number }>('select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('It should have failed'),
    (error: unknown) => error,
  );
}
