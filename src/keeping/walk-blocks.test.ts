import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { firstIdOfMs, newId } from '../kernel/ids.ts';
import { listPartitions } from './partition-store.ts';
import type { Progress } from './task-store.ts';
import { walkPartitions } from './walk-blocks.ts';

const { database, drop } = await createTestDatabase();
after(drop);

it('a week is walked from its beginning also where the one before it was dropped in the middle of its walk', async () => {
  const [from, to] = [Date.UTC(2019, 0, 1), Date.UTC(2019, 0, 8)];
  await database.query("select partitions_make('message', $1, $2)", [new Date(from), new Date(to)]);
  const [first, second] = await listPartitions(database, 'message');
  await database.query(
    `insert into message (account_id, id, request_id, channel_id, mode, direction, type, status, phone, updated_at)
     values ($1, $2, $2, $2, 'test', 'outbound', 'text', 'accepted', '+447700900123', now())`,
    [newId(), firstIdOfMs(to)],
  );
  await database.transaction((tx) => tx.runScript(`drop table ${first?.name}`));
  const walked: unknown[] = [];
  const wish = { parent: 'message' as const, untilMs: second?.untilMs ?? 0, share: 1 };
  const progress = { place: first?.name ?? null, block: 500 };
  const { more } = await walkPartitions(database, wish, progress, async (blocks) => void walked.push(blocks));
  assert.deepEqual(walked, [{ table: second?.name, from: 0, to: 500 }]);
  assert.equal(more, true);
});

it('each week is walked twice from its beginning, since a row that is written meanwhile may move to where the first walk has been', async () => {
  const { parent, from, to } = { parent: 'request' as const, from: Date.UTC(2019, 0, 1), to: Date.UTC(2019, 0, 8) };
  await database.query('select partitions_make($1, $2, $3)', [parent, new Date(from), new Date(to)]);
  for (const ms of [from, to])
    await database.query(
      `insert into request (account_id, id, node_id, mode, channel_id, key_id, type, message_ids, completed_at)
       values ($1, $2, $1, 'test', $1, $1, 'text', '{}', now())`,
      [newId(), firstIdOfMs(ms)],
    );
  const weeks = (await listPartitions(database, parent)).slice(0, 2);
  const wish = { parent, untilMs: weeks[1]?.untilMs ?? 0, share: 1 };
  const walked: unknown[] = [];
  let progress: Progress & { more: boolean } = { place: null, block: 0, more: true };
  while (progress.more)
    progress = await walkPartitions(database, wish, progress, async (blocks) => void walked.push(blocks));
  const twice = weeks.flatMap(({ name }) => [name, name]);
  assert.deepEqual(
    walked,
    twice.map((table) => ({ table, from: 0, to: 500 })),
  );
  const before = walked.length;
  assert.equal(
    (await walkPartitions(database, wish, progress, async (blocks) => void walked.push(blocks))).more,
    false,
  );
  assert.equal(walked.length, before, 'a week is not walked again once it was');
});

it('a week that a clock which was ahead took for past its time is walked again once it is', async () => {
  const { parent, from, to } = { parent: 'message' as const, from: Date.UTC(2018, 0, 1), to: Date.UTC(2018, 0, 8) };
  await database.query('select partitions_make($1, $2, $3)', [parent, new Date(from), new Date(to)]);
  const [first, second] = await listPartitions(database, parent);
  assert.ok(first !== undefined && second !== undefined);
  const insert = (ms: number) =>
    database.query(
      `insert into message (account_id, id, request_id, channel_id, mode, direction, type, status, updated_at)
       values ($1, $2, $2, $2, 'test', 'outbound', 'text', 'accepted', now())`,
      [newId(), firstIdOfMs(ms)],
    );
  let progress: Progress & { more: boolean } = { place: null, block: 0, more: true };
  const walkUntil = async (untilMs: number) => {
    const walked: string[] = [];
    do
      progress = await walkPartitions(database, { parent, untilMs, share: 1 }, progress, async ({ table }) => {
        walked.push(table);
      });
    while (progress.more);
    return walked;
  };
  for (const ms of [from, to]) await insert(ms);
  const twice = [first.name, first.name, second.name, second.name];
  assert.deepEqual(await walkUntil(second.untilMs), twice, 'the clock is ahead');
  assert.deepEqual(await walkUntil(first.untilMs - 1), [], 'it is right again');
  await insert(first.untilMs - 1);
  assert.deepEqual(await walkUntil(first.untilMs), twice.slice(0, 2));
  assert.deepEqual(await walkUntil(second.untilMs), twice.slice(2));
  assert.deepEqual(await walkUntil(second.untilMs), []);
});
