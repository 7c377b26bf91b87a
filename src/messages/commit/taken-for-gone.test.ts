import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { FIRST_LINE, type LiveWorld, startLiveWorld } from '../../../test/pacing/live-world.ts';
import { asProvider, isProcessed, messagesBody, postSigned, statusOf } from '../../../test/support/notifications.ts';
import { until } from '../../../test/support/until.ts';
import { recoverRequests } from './recover.ts';

const TAKEN = '+447700900791';
const REPORTED = '+447700900792';
const REFUSED = '+447700900793';
const UNREACHABLE = 131_026;
const log = pino({ level: 'silent' });

let world: LiveWorld;
before(async () => {
  world = await startLiveWorld();
});
after(() => world.stop());

/** As the others do with what a gateway runs whose lease is over. */
async function recoverAll(): Promise<void> {
  const { gateway } = world;
  const nodes = await gateway.database.query<{ id: string }>('select id from node');
  for (const { id } of nodes) await recoverRequests(gateway.database, id, `${gateway.url}/docs/errors`, log);
}

async function historyOf(id: string): Promise<unknown> {
  const { json } = await world.call('GET', `/api/v1/messages/${id}`);
  const { data } = (await world.call('GET', '/api/v1/events?limit=100')).json;
  const told = data.filter((event: { data: { message: { id: string } } }) => event.data.message.id === id);
  return {
    status: json.status,
    timeline: json.timeline.map((entry: { status: string }) => entry.status),
    events: told.map(({ type }: { type: string }) => type.replace('message.', '')),
  };
}

it('a gateway whose clock stood still while it was taken for gone tells, and notes, what becomes of its messages', async () => {
  const { gateway, provider } = world;
  const from = await world.connect();
  const answering = Promise.withResolvers<void>();
  provider.onMessage = async ({ to }) => {
    await answering.promise;
    return to === REFUSED ? UNREACHABLE : undefined;
  };
  const to = [TAKEN, REPORTED, REFUSED];
  const sending = world.sendText(from, to);
  await until(() => provider.taken.length === to.length);
  await recoverAll();
  const reported = provider.taken.find((taken) => taken.to === REPORTED);
  const report = statusOf('sent', { providerId: 'wamid.reported', messageId: reported?.id ?? '' });
  assert.equal((await postSigned(asProvider(gateway), messagesBody(FIRST_LINE, { statuses: [report] }))).status, 200);
  await until(() => isProcessed(gateway));

  answering.resolve();
  const { json } = await sending;
  assert.deepEqual(
    json.results.map(({ status }: { status: string }) => status),
    ['accepted', 'accepted', 'failed'],
  );
  const steps = [
    ['unknown', 'accepted'],
    ['unknown', 'sent'],
    ['unknown', 'failed'],
  ];
  for (const [place, told] of steps.entries())
    assert.deepEqual(await historyOf(json.results[place].id), { status: told.at(-1), timeline: told, events: told });
});
