import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { scrapeOf } from '../../../test/observe/exposition.ts';
import { FIRST_LINE, type LiveWorld, startLiveWorld } from '../../../test/pacing/live-world.ts';
import { asProvider, messagesBody, postSigned, statusOf } from '../../../test/support/notifications.ts';
import { until } from '../../../test/support/until.ts';

/** Something went wrong on the provider's side; it is not tried again. */
const PROVIDER_ERROR = 131_000;
const LONGER_THAN_THE_PAUSE_MS = 2_000;
/** The provider is overloaded; it is tried again twice. */
const OVERLOADED = 131_016;

let world: LiveWorld;
let from: string;
before(async () => {
  world = await startLiveWorld();
  from = await world.connect();
});
after(() => world.stop());

const read = async (id: string) => (await world.call('GET', `/api/v1/messages/${id}`)).json;

/** What a send comes to whose message is reported as delivered before the call with this number is refused. */
async function sendRefused(to: string, { code, provenAt }: { code: number; provenAt: number }) {
  let calls = 0;
  world.provider.onMessage = async ({ id }) => {
    calls++;
    if (calls === provenAt) await report('delivered', id);
    return code;
  };
  const { json } = await world.sendText(from, [to]);
  return { json, entry: json.results[0], calls };
}

async function report(status: string, id: string): Promise<void> {
  await post(status, id);
  await until(async () => (await read(id)).status === status);
}

async function post(status: string, id: string, { gateway } = world): Promise<void> {
  const body = messagesBody(FIRST_LINE, { statuses: [statusOf(status, { providerId: `wamid.${id}`, messageId: id })] });
  assert.equal((await postSigned(asProvider(gateway), body)).status, 200);
}

describe('an entry is accepted if a notification has proven it, whatever the provider answers', () => {
  it('after that', async () => {
    const { json, entry } = await sendRefused('+447700900601', { code: PROVIDER_ERROR, provenAt: 1 });
    assert.deepEqual(
      [json.accepted_count, json.failed_count, entry.status, entry.error],
      [1, 0, 'accepted', undefined],
    );
    assert.equal(entry.message_id, `wamid.${entry.id}`);
    const scrape = await scrapeOf(world.gateway);
    const entries = (status: string) => scrape.sum('waypost_send_entries_total', { mode: 'live', status });
    assert.deepEqual([entries('accepted'), entries('failed')], [1, 0], 'it is counted as it was answered');
    const again = (await world.call('GET', `/api/v1/requests/${json.request_id}`)).json;
    assert.deepEqual(again.results, json.results);
  });

  it('to the last of three tries', async () => {
    const { entry, calls } = await sendRefused('+447700900602', { code: OVERLOADED, provenAt: 3 });
    assert.deepEqual([calls, entry.status, entry.error], [3, 'accepted', undefined]);
  });

  it('and its history has both, and its customer is told of the delivery alone', async () => {
    const { entry } = await sendRefused('+447700900603', { code: PROVIDER_ERROR, provenAt: 1 });
    const { status, error, timeline } = await read(entry.id);
    assert.deepEqual([status, error], ['delivered', null]);
    assert.deepEqual(
      timeline.map((step: { status: string; note: string | null }) => [step.status, step.note]),
      [
        ['failed', null],
        ['delivered', null],
      ],
    );
    const { data } = (await world.call('GET', '/api/v1/events')).json;
    const own = data.filter((event: { data: { message: { id: string } } }) => event.data.message.id === entry.id);
    assert.deepEqual(
      own.map(({ type }: { type: string }) => type),
      ['message.delivered'],
    );
  });
});

it('a message that the provider has named in a report is not tried again, although nobody knows the status', async () => {
  let calls = 0;
  world.provider.onMessage = async ({ id }) => {
    calls++;
    if (calls > 1) return undefined;
    await post('played', id);
    const named = async () => (await read(id)).message_id === `wamid.${id}`;
    await until(named);
    return OVERLOADED;
  };
  const { results } = (await world.sendText(from, ['+447700900607'])).json;
  assert.deepEqual([calls, results[0].status], [1, 'unknown']);
});

it('a message is not tried again while a notification that was answered may still prove it, and is told as proven', async () => {
  const { database } = world.gateway;
  let calls = 0;
  let applying: Promise<unknown> = Promise.resolve();
  world.provider.onMessage = async ({ id }) => {
    calls++;
    if (calls > 1) return undefined;
    const locked = Promise.withResolvers<void>();
    const posted = Promise.withResolvers<number>();
    // As in a burst: what is answered is not applied until the next try would have been made.
    applying = database.transaction(async (tx) => {
      await tx.query('lock table event_sequence in exclusive mode');
      locked.resolve();
      const postedAtMs = await posted.promise;
      await until(() => performance.now() - postedAtMs > LONGER_THAN_THE_PAUSE_MS);
    });
    await locked.promise;
    await post('delivered', id);
    posted.resolve(performance.now());
    return OVERLOADED;
  };
  const { results } = (await world.sendText(from, ['+447700900608'])).json;
  await applying;
  assert.equal(calls, 1);
  const read = async () => (await world.call('GET', `/api/v1/messages/${results[0].id}`)).json.status;
  await until(async () => (await read()) === 'delivered');
});

it('a message that waits for a connection to be tried again is not, if a notification was answered meanwhile', async () => {
  const narrow = await startLiveWorld({ WAYPOST_PROVIDER_CONNECTIONS: '1' });
  const held = Promise.withResolvers<undefined>();
  const applied = Promise.withResolvers<void>();
  let applying: Promise<unknown> = Promise.resolve();
  try {
    const channel = await narrow.connect();
    const [refused = '', other = ''] = ['+447700900609', '+447700900610'];
    const takenTo = (number: string) => narrow.provider.taken.filter(({ to }) => to === number);
    narrow.provider.onMessage = ({ to }) =>
      to === other ? held.promise : takenTo(to).length > 1 ? undefined : OVERLOADED;
    const first = narrow.sendText(channel, [refused]);
    await until(() => takenTo(refused).length === 1);
    // It has the only connection when the next try is due.
    const second = narrow.sendText(channel, [other]);
    await until(() => takenTo(other).length === 1);
    const refusedAtMs = performance.now();
    await until(() => performance.now() - refusedAtMs > LONGER_THAN_THE_PAUSE_MS);
    // As in a burst: what is answered is not applied yet.
    const locked = Promise.withResolvers<void>();
    applying = narrow.gateway.database.transaction(async (tx) => {
      await tx.query('lock table event_sequence in exclusive mode');
      locked.resolve();
      await applied.promise;
    });
    await locked.promise;
    const [{ id = '' } = {}] = takenTo(refused);
    await post('delivered', id, narrow);
    held.resolve(undefined);
    await second;
    const freeAtMs = performance.now();
    await until(() => performance.now() - freeAtMs > LONGER_THAN_THE_PAUSE_MS);
    assert.equal(takenTo(refused).length, 1);
    applied.resolve();
    const { results } = (await first).json;
    assert.deepEqual([takenTo(refused).length, results[0].status], [1, 'accepted']);
  } finally {
    held.resolve(undefined);
    applied.resolve();
    await applying;
    await narrow.stop();
  }
});

it('an entry that nothing contradicts stays failed', async () => {
  const { entry } = await sendRefused('+447700900604', { code: PROVIDER_ERROR, provenAt: 2 });
  assert.deepEqual([entry.status, entry.error.code], ['failed', 'provider_error']);
});

it('an entry that was refused once stays so when the next try finds no connection before the deadline', async () => {
  const narrow = await startLiveWorld({ WAYPOST_PROVIDER_CONNECTIONS: '1', WAYPOST_SEND_DEADLINE_MS: '3000' });
  const held = Promise.withResolvers<undefined>();
  try {
    const channel = await narrow.connect();
    const [refused, other] = ['+447700900605', '+447700900606'];
    narrow.provider.onMessage = ({ to }) => (to === refused ? OVERLOADED : held.promise);
    const first = narrow.sendText(channel, [refused]);
    await until(() => narrow.provider.taken.length === 1);
    const second = narrow.sendText(channel, [other]);
    const { results } = (await first).json;
    assert.deepEqual([results[0].status, results[0].error.code], ['failed', 'provider_unavailable']);
    assert.equal((await second).json.unknown_count, 1);
  } finally {
    held.resolve(undefined);
    await narrow.stop();
  }
});
