import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  asSandbox,
  isProcessed,
  listNotifications,
  messagesBody,
  postSigned,
  sendOne,
  statusOf,
  type TestLine,
} from '../support/notifications.ts';
import { until } from '../support/until.ts';

const TESTDATA = fileURLToPath(new URL('../../src/provider/whatsapp/testdata', import.meta.url));
/** The line of the payloads in the test data, so that what they tell takes effect. */
const LINE: TestLine = {
  phoneNumberId: '800000000000002',
  businessAccountId: '900000000000001',
  phoneNumber: '+15550100200',
};
const BYTES_RUNS = 300;
const MUTATION_RUNS = 600;
const MUTATIONS_A_RUN = 4;

describe('signed bodies of every kind', () => {
  let gateway: TestGateway;
  let payloads: unknown[];
  before(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    await gateway.database.query(
      'update channel set phone_number_id = $1, business_account_id = $2, phone_number = $3',
      [LINE.phoneNumberId, LINE.businessAccountId, LINE.phoneNumber],
    );
    const names = (await readdir(TESTDATA)).filter((name) => !name.endsWith('.expected.json'));
    payloads = await Promise.all(names.map(async (name) => JSON.parse(await readFile(`${TESTDATA}/${name}`, 'utf8'))));
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.database.query('delete from notification'));

  const stored = async () => {
    const [row] = await gateway.database.query<{ count: number }>('select count(*) as count from notification');
    return row?.count;
  };
  /** Nothing is lost, and whatever was said, the database took it. */
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
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(`{"entry":[{"changes":[{"field":"messages","value":${text}}]}]}`)),
      fc
        .json()
        .map((text) =>
          Buffer.from(`{"entry":[{"id":1,"changes":[{"field":"messages","value":{"statuses":${text}}}]}]}`),
        ),
      fc.nat({ max: 200_000 }).map((depth) => Buffer.from('[{"entry":'.repeat(depth % 20_000))),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
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
    const mutations = fc.array(fc.record({ at: fc.nat(), value: nasty() }), { maxLength: MUTATIONS_A_RUN });
    await fc.assert(
      fc.asyncProperty(fc.nat(), mutations, async (which, changes) => {
        const payload = structuredClone(payloads[which % payloads.length]);
        for (const { at, value } of changes) mutate(payload, at, value);
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

/** Values that stand where others belong. */
function nasty(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, -1, 1e300, 2 ** 53, '', ' ', '\0', '\uD800', '\uDC00x', '\u{1F600}'),
    fc.constantFrom<unknown>(
      [],
      {},
      [[]],
      [null],
      { id: null },
      '9'.repeat(600),
      '\u{1F600}'.repeat(300),
      'x'.repeat(70_000),
    ),
    fc.constantFrom<unknown>('-1', '0', '99999999999999', '1e9', '253402300800', 'NaN', '__proto__', 'constructor'),
    fc.constantFrom<unknown>(
      'wamid.good',
      'msg_00000000000000000000000000',
      'msg_7zzzzzzzzzzzzzzzzzzzzzzzzz',
      LINE.phoneNumberId,
    ),
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
  );
}

/** Puts the value in the place of one of the nodes, chosen by `at`. */
function mutate(root: unknown, at: number, value: unknown): void {
  const places: (() => void)[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, inner] of Object.entries(node)) {
      places.push(() => Reflect.set(node, name, structuredClone(value)));
      visit(inner);
    }
  };
  visit(root);
  places[at % Math.max(1, places.length)]?.();
}

function entriesOf(body: unknown): unknown[] {
  const entry: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'entry') : undefined;
  return Array.isArray(entry) ? entry : [entry];
}
