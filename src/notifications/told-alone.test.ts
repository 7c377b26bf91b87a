import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { messagesBody, textFrom } from '../../test/support/notifications.ts';
import { newId } from '../kernel/ids.ts';
import { decodeNotification } from '../provider/whatsapp/decode/decode.ts';
import type { AppliedBatch } from './apply.ts';
import { runRound } from './apply-round.ts';
import { insertPacks } from './pack-store.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

/** The metrics count what is told, and what a node remembers of templates is forgotten by it. */
it('what is applied alone because its batch was refused is told one by one, and so is what is set aside whole', async () => {
  const line = { phoneNumberId: '900000000000051', businessAccountId: '900000000000052', phoneNumber: '+447700900951' };
  const good = JSON.stringify(messagesBody(line, { messages: [textFrom('+447700900123', 'wamid.beside')] }));
  await insertPacks(
    test.database,
    ['poison', good].map((body) => ({ id: newId(), origin: 'live', body: Buffer.from(body), busy: false })),
  );
  const decode = (body: Buffer) => {
    if (body.toString() === 'poison') throw new Error('Refused');
    return decodeNotification(body);
  };
  const told: unknown[] = [];
  const deps = {
    ...{ decode, nowMs: Date.now, messagesFromMs: () => 0 },
    onBatch: ({ results, itemKinds }: AppliedBatch) => {
      told.push({ results: results.map(({ state, error }) => `${state} ${error}`), itemKinds });
    },
  };
  await runRound(test.database, deps, pino({ level: 'silent' }));
  assert.deepEqual(told, [
    { results: ['set_aside failed'], itemKinds: [] },
    { results: ['set_aside no_channel'], itemKinds: ['inbound'] },
  ]);
});
