import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { intendedMessage, newRequest } from '../../../test/support/new-request.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../../store/database.ts';
import { commitSends } from '../commit/commit-store.ts';
import type { IntendedMessage } from '../message.ts';
import { listMessages, type MessageFilter } from './list-store.ts';
import { findEntries, findMessages, findMessageWithTimeline, findRequest } from './read-store.ts';

const FILTER: Required<MessageFilter> = {
  request_id: newId(),
  message_id: 'wamid.1',
  client_reference: 'a',
  phone: '447700900123',
  user_id: 'GB.1',
  channels: [newId()],
  status: 'sent',
  direction: 'outbound',
  since: newId(),
  before: newId(),
};

it('However its filters are put together, the list of messages has few statements: a connection keeps the plan of each', async () => {
  const texts = new Set<string>();
  const store = {
    query: (sql: string) => {
      texts.add(sql);
      return Promise.resolve([]);
    },
  };
  const entries = Object.entries(FILTER);
  for (let some = 0; some < 2 ** entries.length; some++) {
    const filter = { ...Object.fromEntries(entries.filter((_, place) => some & (2 ** place))), since: newId() };
    await listMessages(store, { accountId: newId(), mode: 'live' }, filter, 50);
    await listMessages(store, { accountId: newId(), mode: 'live' }, { ...filter, status: 'failed' }, 50);
    await listMessages(store, { accountId: newId(), mode: 'test' }, filter, 50);
  }
  // With each filter that has an index, or with none, of a test key or not; and of a later page or not: of stored messages, and of
  // those under way.
  assert.ok(texts.size <= 16 + 12, `${texts.size} statements`);
});

it('Messages under way are found by their ids in the requests that have them, and no other running request is unpacked', async () => {
  const { database, drop } = await createTestDatabase();
  try {
    const accountId = newId();
    const [first, second, other] = [intendedMessage(), intendedMessage(), intendedMessage()];
    for (const intended of [[first, intendedMessage()], [second], [other]]) await begin(database, accountId, intended);
    const spoil = `update request set intent = '"cannot be unpacked"' where message_ids @> array[$1::uuid]`;
    await database.query(spoil, [other.id]);
    const found = await findMessages(database, { accountId, mode: 'test' }, [second.id, first.id, newId()]);
    assert.deepEqual(
      found.map(({ id, status }) => [id, status]),
      [first, second].map(({ id }) => [id, 'transmitting']),
    );
    assert.equal((await findMessageWithTimeline(database, { accountId, mode: 'test' }, first.id))?.id, first.id);
    await assert.rejects(findMessages(database, { accountId, mode: 'test' }, [other.id]), /non-array/);
  } finally {
    await drop();
  }
});

it('A request and its entries are read without their contents, which may be a mebibyte, whether under way or not', async () => {
  const { database, drop } = await createTestDatabase();
  try {
    const owner = { accountId: newId(), mode: 'test' as const };
    const intended = { ...intendedMessage(), components: [{ type: 'body' }] };
    await begin(database, owner.accountId, [intended]);
    const [{ id } = { id: '' }] = await database.query<{ id: string }>('select id from request');
    const request = await findRequest(database, owner, id);
    assert.deepEqual(request?.message_ids, [intended.id]);
    assert.ok(!('content' in request));
    const contents = async () =>
      (await findEntries(database, owner, [intended.id])).map((row) => [row.id, row.content]);
    assert.deepEqual(await contents(), [[intended.id, null]]);
    await database.query(COMPLETE, [owner.accountId, intended.id, id]);
    assert.deepEqual(await contents(), [[intended.id, null]]);
  } finally {
    await drop();
  }
});

async function begin(store: Queryable, accountId: string, intended: IntendedMessage[]): Promise<void> {
  await commitSends(store, { begun: [newRequest(intended, { accountId })], settled: [], completed: [] }, 'new');
}

const COMPLETE = `
  with done as (update request set intent = null, completed_at = now() where account_id = $1 and id = $3)
  insert into message (account_id, id, request_id, channel_id, mode, direction, type, phone, status, own_reference, held, content, outcome,
    outcome_at, updated_at)
  values ($1, $2, $3, $1, 'test', 'outbound', 'template', '447700900001', 'accepted', false, false, '[{"type": "body"}]', 'accepted',
    now(), now())`;
