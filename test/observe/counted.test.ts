import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Receiver, startReceiver } from '../endpoints/receiver.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { asSandbox, lineOf, messagesBody, postSigned, sendOne, statusOf, textFrom } from '../support/notifications.ts';
import { whileTheyTakeTooLong } from '../support/take-too-long.ts';
import { until } from '../support/until.ts';
import { scrapeOf } from './exposition.ts';

let gateway: TestGateway;
let receiver: Receiver;
let statuses: number[] = [];
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  receiver = await startReceiver((response) => response.writeHead(statuses.shift() ?? 204).end());
  await gateway.call('POST', '/api/v1/endpoints', { body: { url: receiver.url } });
});
after(async () => {
  await receiver.close();
  await gateway.stop();
});

const sum = async (name: string, labels: Record<string, string> = {}) => (await scrapeOf(gateway)).sum(name, labels);
let written = 0;
/** Has an event recorded. */
async function write(): Promise<number> {
  const messages = [textFrom('+447700900123', `wamid.${written++}`)];
  return (await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), { messages }))).status;
}
const attemptsAre = (count: number) => until(async () => (await sum('waypost_delivery_attempts_total')) === count);
/** Waits until the delivery is put off, and has it tried now, as the next after so many. */
const tryNow = (attempts: number) =>
  until(async () => {
    const sql =
      'update delivery set attempts = $1, next_at = now() where attempts > 0 and claimed_until is null returning 1';
    return (await gateway.database.query(sql, [attempts])).length === 1;
  });

it('a delivery counts as given up with its last attempt, and for the time to its arrival if its first one arrives', async () => {
  statuses = [500, 500, 500, 204, 204];
  await write();
  await attemptsAre(1);
  assert.equal(await sum('waypost_deliveries_given_up_total'), 0);
  await tryNow(9);
  await attemptsAre(2);
  assert.equal(await sum('waypost_deliveries_given_up_total', { mode: 'test' }), 1);
  await write();
  await attemptsAre(3);
  await tryNow(1);
  await attemptsAre(4);
  assert.equal(await sum('waypost_delivery_seconds_count'), 0);
  await write();
  await attemptsAre(5);
  assert.equal(await sum('waypost_delivery_seconds_count'), 1);
  assert.equal(await sum('waypost_deliveries_given_up_total'), 1);
});

it('a notification that could not be committed counts as such, and not as refused', async () => {
  await whileTheyTakeTooLong(gateway.database, ['insert on notification_pack for each row'], async () => {
    assert.equal(await write(), 503);
  });
  assert.equal(await sum('waypost_notifications_received_total', { result: 'not_committed' }), 1);
  assert.equal(await sum('waypost_notifications_received_total', { result: 'refused' }), 0);
});

it('a message whose failure the provider reports after the send counts by the code of that', async () => {
  const { id: messageId, message_id: providerId } = await sendOne(gateway);
  const errors = [{ code: 131042, title: 'Business eligibility payment issue' }];
  const statuses = [statusOf('failed', { providerId, messageId, errors })];
  await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), { statuses }));
  const labels = { mode: 'test', code: 'sender_billing' };
  await until(async () => (await sum('waypost_messages_failed_later_total', labels)) === 1);
});
