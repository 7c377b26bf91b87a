import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { decodeNotification } from '../provider/whatsapp/decode/decode.ts';
import { insertPacks } from './pack-store.ts';
import { startProcessor } from './processor.ts';

/** As much as a round takes. */
const ROUND_BYTES = 1 << 20;

const { database, drop } = await createTestDatabase();
after(drop);

it('a busy number has its turn in every second round, however much there is of others', async () => {
  const pack = (body: string, busy: boolean) =>
    insertPacks(database, [{ id: newId(), origin: 'live', body: Buffer.from(body), busy }]);
  await pack('busy', true);
  for (let packs = 0; packs < 4; packs++) await pack('q'.repeat(ROUND_BYTES), false);
  const order: string[] = [];
  const decode = (body: Buffer) => {
    order.push(body.toString('utf8', 0, 4));
    return decodeNotification(body);
  };
  const deps = { decode, nowMs: Date.now, messagesFromMs: () => 0 };
  const processor = startProcessor(database, deps, pino({ level: 'silent' }));
  await until(() => order.length === 5);
  await processor.stop();
  assert.deepEqual(order, ['qqqq', 'busy', 'qqqq', 'qqqq', 'qqqq']);
});
