import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { newId } from '../../kernel/ids.ts';
import { MESSAGE_STATUSES } from '../message.ts';
import { listMessages, type MessageFilter } from './list-store.ts';

const [ACCOUNT, CHANNEL] = [newId(), newId()];
const SINCE = '00000000-0000-0000-0000-000000000000';
const COMMON = 5_000;
const PAGE = 10;
/** Each week may be asked for its newest one. */
const WEEKS_MAX = 10;
/** What most messages are not, in each way that their rows come to be. */
const RARE: readonly Row[] = [
  { direction: 'inbound', status: 'received', outcome: 'received', error: null },
  { direction: 'outbound', status: 'pending', outcome: null, error: null },
  { direction: 'outbound', status: 'transmitting', outcome: null, error: null },
  { direction: 'outbound', status: 'unknown', outcome: 'unknown', error: { code: 'outcome_unknown' } },
  { direction: 'outbound', status: 'failed', outcome: 'failed', error: { code: 'invalid_recipient' } },
  { direction: 'outbound', status: 'failed', outcome: 'unknown', error: { code: 'recipient_unreachable' } },
  // Reported before its outcome was stored.
  { direction: 'outbound', status: 'failed', outcome: null, error: { code: 'recipient_unreachable' } },
];

const USER = 'GB.0000000000000000001';

interface Row {
  direction: 'inbound' | 'outbound';
  status: (typeof MESSAGE_STATUSES)[number];
  outcome: string | null;
  error: { code: string } | null;
  user_id?: string;
}

const FILL = `
  insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, user_id, status, outcome, error, updated_at)
  select $1, id::uuid, case when direction = 'outbound' then $2::uuid end, $2::uuid, 'test', direction, 'text', '+447700900754', user_id,
    status, outcome, error, now()
  from jsonb_to_recordset($3) as t(id text, user_id text, direction direction, status message_status, outcome message_status, error jsonb)`;

const { database, drop } = await createTestDatabase();
after(drop);

const add = (rows: readonly Row[]) =>
  database.query(FILL, [ACCOUNT, CHANNEL, JSON.stringify(rows.map((row) => ({ ...row, id: newId() })))]);

before(async () => {
  for (let times = 0; times < 2 * PAGE; times++) await add(RARE);
  const common = (['accepted', 'sent', 'delivered', 'read'] as const).map((status) => {
    return { direction: 'outbound', status, outcome: 'accepted', error: null } as const;
  });
  await add(common.map((row) => ({ ...row, user_id: USER })));
  await add(Array.from({ length: COMMON / common.length }, () => common).flat());
});

const list = (filter: Omit<MessageFilter, 'since'>, limit: number) =>
  listMessages(database, { accountId: ACCOUNT, mode: 'test' }, { since: SINCE, ...filter }, limit);

/** How many rows of messages this connection has fetched since it last told the server, which it never does in a transaction. */
const FETCHED = `
  select coalesce(sum(idx_tup_fetch), 0)::integer as rows from pg_stat_xact_user_tables where relname like 'message%'`;

async function countFetched(filter: Omit<MessageFilter, 'since'>): Promise<number> {
  return database.transaction(async (tx) => {
    const count = async () => (await tx.query<{ rows: number }>(FETCHED))[0]?.rows ?? 0;
    const earlier = await count();
    await listMessages(tx, { accountId: ACCOUNT, mode: 'test' }, { since: SINCE, ...filter }, PAGE);
    return (await count()) - earlier;
  });
}

describe('a list of messages of one status or direction', () => {
  for (const [name, column, values] of [
    ['status', 'status', MESSAGE_STATUSES],
    ['direction', 'direction', ['inbound', 'outbound']],
  ] as const)
    for (const value of values)
      it(`has every message of it, and no other, page by page: ${name} ${value}`, async () => {
        const sql = `select id from message where account_id = $1 and ${column}::text = $2 order by id desc`;
        const expected = (await database.query<{ id: string }>(sql, [ACCOUNT, value])).map(({ id }) => id);
        const whole = (await list({ [name]: value }, COMMON * 2)).map(({ id }) => id);
        assert.deepEqual(whole, expected);
        const [last = ''] = whole.slice(PAGE - 1);
        const next = await list({ [name]: value, before: last }, PAGE);
        assert.deepEqual(
          next.map(({ id }) => id),
          expected.slice(PAGE, 2 * PAGE),
        );
      });

  const rare: Record<string, Omit<MessageFilter, 'since'>> = {
    ...Object.fromEntries(RARE.filter(({ outcome }) => outcome).map(({ status }) => [status, { status }])),
    inbound: { direction: 'inbound' },
    'what a channel has received': { channels: [CHANNEL], direction: 'inbound' },
    'what one person got, by a user id': { user_id: USER, direction: 'outbound' },
    'what nobody got, by a user id': { user_id: 'GB.0000000000000000002', direction: 'outbound' },
    'none, because no message goes both ways': { direction: 'inbound', status: 'read' },
    'none, because what fails was not received': { status: 'failed', channels: [CHANNEL], direction: 'inbound' },
  };
  for (const [what, filter] of Object.entries(rare))
    it(`reads nothing of the others: ${what}`, async () => {
      const fetched = await countFetched(filter);
      assert.ok(fetched <= PAGE + WEEKS_MAX, `${fetched} rows`);
    });

  it('reads nothing of the others: what a test key has sent, beside what is live', async () => {
    const account = newId();
    const insert = `
      insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, status, outcome, updated_at)
      select $1, id::uuid, $1, $1, $3::mode, 'outbound', 'text', '+447700900754', 'accepted', 'accepted', now() from unnest($2::text[]) as t(id)`;
    const ids = Array.from({ length: COMMON }, newId);
    await database.query(insert, [account, ids.slice(0, 5), 'test']);
    await database.query(insert, [account, ids.slice(5), 'live']);
    await database.transaction(async (tx) => {
      const before = (await tx.query<{ rows: number }>(FETCHED))[0]?.rows ?? 0;
      const found = await listMessages(tx, { accountId: account, mode: 'test' }, { since: SINCE }, PAGE);
      assert.deepEqual(
        found.map(({ id }) => id),
        ids.slice(0, 5).reverse(),
      );
      const fetched = ((await tx.query<{ rows: number }>(FETCHED))[0]?.rows ?? 0) - before;
      assert.ok(fetched <= PAGE + WEEKS_MAX, `${fetched} rows`);
    });
  });

  it('reads nothing but what is under way: pending', async () => {
    const fetched = await countFetched({ status: 'pending' });
    assert.ok(fetched <= 2 * PAGE + WEEKS_MAX, `${fetched} rows`);
  });
});
