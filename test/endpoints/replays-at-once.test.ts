import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { formatId } from '../../src/kernel/ids.ts';
import { until } from '../support/until.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';

const PATH = '/api/v1/endpoints';
/** More than one transaction enqueues. */
const EVENTS = 1_001;
/** Notes each transaction that enqueues while another one does so. */
const NOTE_OVERLAPS = `
  create table overlap (at timestamptz not null default clock_timestamp());
  create function note_overlap() returns trigger language plpgsql as $$
  begin
    if not pg_try_advisory_xact_lock(4711) then insert into overlap default values; end if;
    return null;
  end $$;
  create trigger note_overlap before insert on delivery for each statement execute function note_overlap()`;

let harness: Harness;
let api: EndpointApi;
before(async () => {
  harness = await startHarness();
  api = await startEndpointApi(harness);
});
after(async () => {
  await api.stop();
  await harness.stop();
});

/**
 * Makes a new account's endpoint and records events for it. It is off, so that nothing is delivered. Returns a function that replays all of
 * them, unless another body is given.
 */
async function createReplay() {
  const { key, principal } = api.key();
  const created = await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/hook' } });
  const path = `${PATH}/${created.json.id}`;
  await api.call(key, 'PATCH', path, { body: { enabled: false } });
  await harness.record(EVENTS, { accountId: principal.accountId, type: 'message.sent' });
  const replay = (body: object = { after_sequence: 0 }) => api.call(key, 'POST', `${path}/replay`, { body });
  return { replay, accountId: principal.accountId };
}

it('replays at once, of one account or of some, enqueue one after another and leave the connections to the others', async () => {
  const made = [await createReplay(), await createReplay()];
  await harness.database.transaction((tx) => tx.runScript(NOTE_OVERLAPS));
  const calls = [...made, ...made, ...made].map(({ replay }) => replay());
  for (const { status, json } of await Promise.all(calls)) assert.deepEqual([status, json], [202, { count: EVENTS }]);
  assert.deepEqual(await harness.database.query('select * from overlap'), []);
});

it('a replay of one event does not wait in line behind those of other accounts', async () => {
  const { database } = harness;
  const [many, one] = [await createReplay(), await createReplay()];
  await many.replay();
  const [event] = await database.query<{ id: string }>('select id from event where account_id = $1 limit 1', [
    one.accountId,
  ]);
  const { answer } = await database.transaction(async (tx) => {
    await tx.query('select event_id from delivery where account_id = $1 for update', [many.accountId]);
    const replaying = many.replay();
    await until(async () => (await countWaitingForLocks(database)) > 0);
    assert.deepEqual((await one.replay({ event_id: formatId('evt', event?.id ?? '') })).json, { count: 1 });
    return { answer: replaying };
  });
  assert.deepEqual((await answer).json, { count: EVENTS });
});
