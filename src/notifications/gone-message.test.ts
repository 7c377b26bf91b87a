import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { agedId, ageEverything } from '../../test/support/age.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  lineOf,
  listNotifications,
  messagesBody,
  postAndApply,
  sendOne,
  statusOf,
} from '../../test/support/notifications.ts';
import { formatId, parseId } from '../kernel/ids.ts';

/** Past the time of messages, and within that of events. */
const DAYS = 2;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ settings: { WAYPOST_KEEP_MESSAGES_DAYS: '1' }, sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('a report of a message that is past its time is applied, and told to nobody', async () => {
  const old = await sendOne(gateway);
  await ageEverything(gateway.database, DAYS);
  const young = await sendOne(gateway);
  const uuid = await agedId(gateway.database, parseId('msg', old.id) ?? '', DAYS);
  assert.equal((await gateway.call('GET', `/api/v1/messages/${formatId('msg', uuid)}`)).status, 404);

  const statuses = [old, young].map(({ message_id: providerId }) => statusOf('read', { providerId }));
  await postAndApply(gateway, messagesBody(await lineOf(gateway), { statuses }));
  assert.deepEqual(
    (await listNotifications(gateway)).map(({ state }) => state),
    ['applied'],
  );
  const [stored] = await gateway.database.query<{ status: string }>('select status from message where id = $1', [uuid]);
  assert.equal(stored?.status, 'read');
  const { json } = await gateway.call('GET', '/api/v1/events?after=0');
  const read = json.data.filter(({ type }: { type: string }) => type === 'message.read');
  assert.deepEqual(
    read.map(({ data }: { data: { message: { id: string } } }) => data.message.id),
    [young.id],
  );
});
