import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { appendEvents } from '../../src/events/store.ts';
import { formatId } from '../../src/kernel/ids.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';

const PATH = '/api/v1/endpoints';
const CALLS = 8;
const LARGE = { message: { id: 'msg_1', text: { body: 'x'.repeat(1 << 20) } } };

/** How often a large event is read, and how many were at once at the most. */
const reads = { now: 0, most: 0, all: 0 };
let harness: Harness;
let api: EndpointApi;
before(async () => {
  harness = await startHarness({
    onQuery(sql) {
      if (!/\bselect \* from event where account_id = \$1 and id = \$3\b/.test(sql)) return () => undefined;
      reads.all += 1;
      reads.now += 1;
      reads.most = Math.max(reads.most, reads.now);
      return () => {
        reads.now -= 1;
      };
    },
  });
  await harness.deliveries.stop(0);
  api = await startEndpointApi(harness);
});
after(async () => {
  await api.stop();
  await harness.stop();
});

/** Makes calls about a large event, all at once. */
async function callAbout(action: string, bodyOf: (eventId: string) => object) {
  const { key, principal } = api.key();
  const { accountId, mode } = principal;
  const draft = { accountId, mode, type: 'message.received', data: LARGE, traceparent: null } as const;
  await harness.database.transaction((tx) => appendEvents(tx, [draft]));
  const [row] = await harness.database.query<{ id: string }>('select id from event where account_id = $1', [accountId]);
  const { json } = await api.call(key, 'POST', PATH, { body: { url: 'https://example.com/hook' } });
  Object.assign(reads, { most: 0, all: 0 });
  const body = bodyOf(formatId('evt', row?.id ?? ''));
  const call = () => api.call(key, 'POST', `${PATH}/${json.id}/${action}`, { body });
  return Promise.all(Array.from({ length: CALLS }, call));
}

it('checks of signatures read a large event one at a time, however small what they check is', async () => {
  const headers = { 'webhook-timestamp': '1', 'webhook-signature': `v1,${'A'.repeat(43)}=` };
  const answers = await callAbout('check-signature', (id) => ({
    headers: { ...headers, 'webhook-id': id },
    body: '{}',
  }));
  for (const { status, json } of answers) {
    assert.equal(status, 200);
    assert.equal(json.problems.at(-1).code, 'signature_mismatch');
  }
  assert.deepEqual([reads.all, reads.most], [CALLS, 1]);
});

it('replays of one event do not read what it has to tell', async () => {
  const answers = await callAbout('replay', (id) => ({ event_id: id }));
  for (const { status, json } of answers) assert.deepEqual([status, json.count], [202, 1]);
  assert.equal(reads.all, 0);
});
