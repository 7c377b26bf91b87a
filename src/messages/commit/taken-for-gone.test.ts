import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { pino } from 'pino';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import {
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  statusOf,
} from '../../../test/support/notifications.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';
import { until } from '../../../test/support/until.ts';
import { recoverRequests } from './recover.ts';

const TAKEN = '+447700900791';
const REPORTED = '+447700900792';
const REFUSED = '+15550131026';
const log = pino({ level: 'silent' });

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { latencyMs: 1_500, statuses: 'off' } });
});
after(() => gateway.stop());

/** As the others do with what a gateway runs whose lease is over. */
async function recoverAll(): Promise<void> {
  const nodes = await gateway.database.query<{ id: string }>('select id from node');
  for (const { id } of nodes) await recoverRequests(gateway.database, id, `${gateway.url}/docs/errors`, log);
}

async function historyOf(id: string): Promise<unknown> {
  const { json } = await gateway.call('GET', `/api/v1/messages/${id}`);
  const { data } = (await gateway.call('GET', '/api/v1/events?limit=100')).json;
  const told = data.filter((event: { data: { message: { id: string } } }) => event.data.message.id === id);
  return {
    status: json.status,
    timeline: json.timeline.map((entry: { status: string }) => entry.status),
    events: told.map(({ type }: { type: string }) => type.replace('message.', '')),
  };
}

it('a gateway whose clock stood still while it was taken for gone tells, and notes, what becomes of its messages', async () => {
  const line = await lineOf(gateway);
  const to = [TAKEN, REPORTED, REFUSED];
  const sending = gateway.call('POST', '/api/v1/messages/send', {
    body: { to, type: 'text', text: { body: 'Hello' } },
    headers: { 'idempotency-key': 'moved' },
  });
  const transmits = await until(async () => {
    const seen = await transmitsOf(gateway.sandbox);
    return seen.length === to.length && seen;
  });
  await recoverAll();
  const reported = transmits.find((transmit) => transmit.to === REPORTED);
  const report = statusOf('sent', {
    providerId: 'wamid.reported',
    messageId: reported?.biz_opaque_callback_data ?? '',
  });
  assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { statuses: [report] }))).status, 200);
  await until(() => isProcessed(gateway));

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
