import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { heldBytes } from '../../test/support/garbage.ts';
import { systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createSealer } from '../kernel/sealed.ts';
import { createChannels } from './channels.ts';
import { bearTestChannel } from './connect.ts';

const ACCOUNTS = 500;
/** An entry itself takes some 2 KB. */
const BYTES_AN_ACCOUNT_MAX = 8_192;

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

it('what is remembered of the channels of an account takes some KB, whatever else the process does meanwhile', async () => {
  const { database } = test;
  const sealer = createSealer(Buffer.alloc(32));
  const log = pino({ level: 'silent' });
  const channels = createChannels({ database, sealer, clock: systemClock, log, sandbox: true });
  const accountIds = Array.from({ length: ACCOUNTS }, () => newId());
  await database.transaction(async (tx) => {
    for (const accountId of accountIds) {
      await tx.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
      await bearTestChannel(tx, sealer, accountId);
    }
  });
  const before = heldBytes();
  for (const accountId of accountIds) {
    assert.equal((await channels.listUsable(accountId, 'test')).length, 1);
    // A call or a notification takes small buffers too, from the same pool of Node's.
    for (let taken = 0; taken < Buffer.poolSize; taken += 4_096) Buffer.allocUnsafe(4_096);
  }
  const bytesEach = Math.round((heldBytes() - before) / ACCOUNTS);
  assert.ok(bytesEach < BYTES_AN_ACCOUNT_MAX, `${bytesEach} bytes an account`);
  // They are remembered until here.
  assert.equal((await channels.listUsable(accountIds[0] ?? '', 'test')).length, 1);
});
