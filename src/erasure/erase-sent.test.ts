import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { endErasures, erase, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { LAST_UUID, parseId } from '../kernel/ids.ts';
import { emptyRefused } from './empty-refused.ts';
import { eraseRound } from './erase-round.ts';

const ADA = '+447700900791';
const GRACE = '+447700900792';
/** Ada's number in forms that no send takes. */
const UNREADABLE = [
  '447700900791',
  '0044 7700 900791',
  '011-44-7700-900791',
  '+44 (0) 7700 900791',
  '0044 [ 0 ] 7700/900791',
  'tel:+447700900791',
  '+447700900791 x12',
  '+٤٤٧٧٠٠٩٠٠٧٩١',
  '۰۰۴۴ ۷۷۰۰ ۹۰۰۷۹۱',
  '４４７７００９００７９１',
];
/** Ada's number and Grace's in one text, which is one recipient that cannot be read. */
const BOTH = [
  '+447700900792 +447700900791',
  '447700900792 447700900791',
  '0044 7700 900792/0044 7700 900791',
  '+447700900792|+447700900791\u202c',
  'Grace: +44 (0) 7700 900792, Ada: +44 (0) 7700 900791',
];

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

async function send(to: unknown[], headers = {}): Promise<string> {
  const body = { to, type: 'text', text: { body: 'Dear Countess' }, client_reference: 'countess' };
  const { status, json } = await gateway.call('POST', '/api/v1/messages/send', { body, headers });
  assert.equal(status, 200);
  return json.request_id;
}

async function eraseWhole(to: string): Promise<void> {
  await erase(gateway, to);
  await endErasures(gateway.database);
}

/** Whom each entry of a request is for, and its reference. */
async function entriesOf(id: string): Promise<unknown[]> {
  const { results } = (await gateway.call('GET', `/api/v1/requests/${id}`)).json;
  return results.map(({ to, client_reference: reference }: Record<string, unknown>) => [to, reference ?? null]);
}

/** What a request holds for all its recipients. */
async function sharedOf(id: string): Promise<unknown[]> {
  const reference = (await gateway.call('GET', `/api/v1/requests/${id}`)).json.client_reference ?? null;
  const rows = await gateway.database.query<{ text: string | null; key: string | null }>(
    "select content->>'body' as text, idempotency_key as key from request where account_id = $1 and id = $2",
    [gateway.accountId, parseId('req', id)],
  );
  return [reference, rows[0]?.text, rows[0]?.key];
}

it('what a request holds for all is emptied with its last message that names somebody', async () => {
  const id = await send([ADA, GRACE], { 'idempotency-key': 'for-ada-and-grace' });
  await eraseWhole(ADA);
  assert.deepEqual(await sharedOf(id), ['countess', 'Dear Countess', 'for-ada-and-grace']);
  await eraseWhole(GRACE);
  assert.deepEqual(await sharedOf(id), [null, null, null]);
});

describe('erasing a person whose number was given in a form that cannot be read', () => {
  it('empties every entry that says it with its country code', async () => {
    const named = UNREADABLE.map((to, place) => ({ to, client_reference: `countess-${place}` }));
    const beside = await send([ADA, GRACE, ...named]);
    const onlyUnreadable = await send([UNREADABLE[0], GRACE, 'Charles']);
    await eraseWhole(ADA);
    assert.deepEqual(await entriesOf(beside), [['', null], [GRACE, null], ...UNREADABLE.map(() => ['', null])]);
    assert.deepEqual(await entriesOf(onlyUnreadable), [
      ['', null],
      [GRACE, null],
      ['Charles', null],
    ]);
  });

  it('empties an entry that says it beside the numbers of others', async () => {
    const id = await send([ADA, ...BOTH]);
    await eraseWhole(ADA);
    assert.deepEqual(await entriesOf(id), [['', null], ...BOTH.map(() => ['', null])]);
  });

  it('empties what the request holds for all, once nobody is left whom it names', async () => {
    const alone = await send(UNREADABLE.slice(0, 2), { 'idempotency-key': 'for-the-countess' });
    assert.deepEqual(await sharedOf(alone), ['countess', 'Dear Countess', 'for-the-countess']);
    await eraseWhole(ADA);
    assert.deepEqual(await sharedOf(alone), [null, null, null]);
    const withGrace = await send(['447700900791', '447700900792'], { 'idempotency-key': 'for-both' });
    await eraseWhole(ADA);
    assert.deepEqual(await sharedOf(withGrace), ['countess', 'Dear Countess', 'for-both']);
    await eraseWhole(GRACE);
    assert.deepEqual(await sharedOf(withGrace), [null, null, null]);
  });

  it('looks through few large entries at a time, or a batch of them would never end within its time limit', async () => {
    const large = await Promise.all([1, 2, 3].map(() => send([randomBytes(20_000).toString('hex')])));
    const newestFirst = large
      .map((id) => parseId('req', id))
      .sort()
      .reverse();
    let place: string | null = LAST_UUID;
    for (const id of newestFirst) {
      assert.ok(place !== null);
      const all = { accountId: gateway.accountId, place, limit: 1_000, asked: [ADA], persons: [ADA], askedAt: [] };
      place = await emptyRefused(gateway.database, all);
      assert.equal(place, id);
    }
  });

  it('leaves what may be the number of somebody else', async () => {
    // A mobile number in Germany has the digits of one in the United States, but for its zero.
    const [american, german] = ['+15550781234', '0155 50781234'];
    const others = [german, '07700 900791', '4477009007910', '+4477009007910/5', '447700900792', 'Ada', '(0)', ''];
    const id = await send([ADA, american, ...others]);
    const before = await entriesOf(id);
    await eraseWhole(ADA);
    await eraseWhole(american);
    assert.deepEqual(await entriesOf(id), [['', null], ['', null], ...before.slice(2)]);
  });
});

const HOUR_MS = 3_600_000;

async function sendTo(to: string): Promise<void> {
  const { json } = await gateway.call('POST', '/api/v1/messages/send', {
    body: { to, type: 'text', text: { body: 'Dear Countess' } },
  });
  assert.equal(json.accepted_count, 1);
}

const messagesTo = (to: string) => gateway.database.query('select 1 from message where phone = $1', [to]);

describe('erasing a person where the clocks of gateways are wrong', () => {
  for (const [what, byMs, ada] of [
    ['an hour ahead', HOUR_MS, '+447700900771'],
    ['an hour behind', -HOUR_MS, '+447700900772'],
  ] as const)
    it(`empties what a gateway has written whose clock is ${what}`, async ({ mock }) => {
      const now = Date.now;
      const clock = mock.method(Date, 'now', () => now() + byMs);
      await sendTo(ada);
      clock.mock.restore();
      await erase(gateway, ada);
      await endErasures(gateway.database);
      assert.deepEqual(await messagesTo(ada), []);
    });

  for (const [what, byMs, ada] of [
    ['an hour ahead', HOUR_MS, '+447700900773'],
    ['an hour behind', -HOUR_MS, '+447700900774'],
  ] as const)
    it(`takes its time from when it was asked for, where the clock of who was asked is ${what}`, async ({ mock }) => {
      await sendTo(ada);
      const now = Date.now;
      const clock = mock.method(Date, 'now', () => now() + byMs);
      await erase(gateway, ada);
      clock.mock.restore();
      const dueInMs = await until(async () => {
        await eraseRound(gateway.database, SETTLED_MS);
        const [row] = await gateway.database.query<{ ms: number }>(
          'select extract(epoch from due_at - now())::float8 * 1000 as ms from erasure',
        );
        assert.ok(row, 'it is not told to be over while what is under way may still be written');
        return row.ms > 1_000 && row.ms;
      });
      assert.ok(dueInMs > SETTLED_MS - 60_000 && dueInMs <= SETTLED_MS, `${dueInMs} ms`);
      assert.deepEqual(await messagesTo(ada), [], 'what was there is emptied at once');
      await endErasures(gateway.database);
    });
});
