import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { anyBytes, entriesOf, LINE, mutatedPayload } from '../fuzz/notification-body.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  asSandbox,
  forgetNotifications,
  isProcessed,
  listNotifications,
  messagesBody,
  postSigned,
  sendOne,
  statusOf,
} from '../support/notifications.ts';
import { until } from '../support/until.ts';

const BYTES_RUNS = 100;
const MUTATION_RUNS = 200;

describe('signed bodies of every kind', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    await gateway.database.query(
      'update channel set phone_number_id = $1, business_account_id = $2, phone_number = $3',
      [LINE.phoneNumberId, LINE.businessAccountId, LINE.phoneNumber],
    );
  });
  after(() => gateway.stop());
  beforeEach(() => forgetNotifications(gateway));

  const stored = async () => {
    const [row] = await gateway.database.query<{ count: number }>('select count(*) as count from notification');
    return row?.count;
  };
  /** Nothing must be lost, and the database must have taken everything. */
  const assertKept = async (posted: number) => {
    await until(() => isProcessed(gateway));
    assert.equal(await stored(), posted);
    const refused = await gateway.database.query<{ body: Buffer }>(
      `select body from notification where error like '%failed%'`,
    );
    assert.deepEqual(
      refused.map(({ body }) => body.toString()),
      [],
    );
    assert.ok((await listNotifications(gateway)).length > 0);
  };

  it('are answered 200 and kept, whatever the bytes', async () => {
    let posted = 0;
    await fc.assert(
      fc.asyncProperty(anyBytes, async (body) => {
        posted++;
        assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
      }),
      { numRuns: BYTES_RUNS },
    );
    await assertKept(posted);
  });

  it('never take a good item with them, however they are mutated', async () => {
    const { message_id: goodId } = await sendOne(gateway);
    let posted = 0;
    await fc.assert(
      fc.asyncProperty(mutatedPayload, async (payload) => {
        const good = messagesBody(LINE, { statuses: [statusOf(`good_${posted}`, { providerId: goodId })] });
        const body = { entry: [...entriesOf(payload), ...entriesOf(good)] };
        posted++;
        assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
      }),
      { numRuns: MUTATION_RUNS },
    );
    await assertKept(posted);
    const rows = await gateway.database.query<{ status: string }>(
      `select status from timeline where status like 'good\\_%'`,
    );
    assert.deepEqual(
      rows.map(({ status }) => status).toSorted(),
      Array.from({ length: posted }, (_, number) => `good_${number}`).toSorted(),
    );
  });
});
