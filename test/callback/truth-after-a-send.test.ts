import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  asSandbox,
  lineOf,
  messagesBody,
  postSigned,
  readMessage,
  sendOne,
  statusOf,
  type TestLine,
} from '../support/notifications.ts';
import { transmitsOf } from '../support/transmits.ts';
import { until } from '../support/until.ts';

type Step = [status: string, note: string | null];

describe('after a send in the sandbox', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({ callback: true, sandbox: { timeScale: 20 } });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());

  const timelineOf = async (id: string): Promise<Step[]> =>
    (await readMessage(gateway, id)).timeline.map(({ status, note }: { status: string; note: string | null }) => [
      status,
      note,
    ]);
  const untilSteps = async (id: string, steps: number) => {
    await until(async () => (await timelineOf(id)).length >= steps);
    return timelineOf(id);
  };
  const cases: { to: string; entry: string; ends: string; steps: Step[]; what: string }[] = [
    {
      what: 'any number is seen to be sent, delivered and read',
      to: '+447700900123',
      entry: 'accepted',
      ends: 'read',
      steps: [
        ['accepted', null],
        ['sent', null],
        ['delivered', null],
        ['read', null],
      ],
    },
    {
      what: 'a failure that is reported later takes the message from accepted to failed',
      to: '+15551131026',
      entry: 'accepted',
      ends: 'failed',
      steps: [
        ['accepted', null],
        ['failed', null],
      ],
    },
    {
      what: 'a connection that was cut is settled by the statuses',
      to: '+15552000002',
      entry: 'unknown',
      ends: 'read',
      steps: [
        ['unknown', null],
        ['sent', null],
        ['delivered', null],
        ['read', null],
      ],
    },
    {
      what: 'statuses that come twice are noted as duplicates',
      to: '+15552000006',
      entry: 'accepted',
      ends: 'read',
      steps: [
        ['accepted', null],
        ['sent', null],
        ['sent', 'duplicate'],
        ['delivered', null],
        ['delivered', 'duplicate'],
        ['read', null],
        ['read', 'duplicate'],
      ],
    },
    {
      what: 'statuses that come in the opposite order are noted as late',
      to: '+15552000007',
      entry: 'accepted',
      ends: 'read',
      steps: [
        ['accepted', null],
        ['read', null],
        ['delivered', 'late'],
        ['sent', 'late'],
      ],
    },
    {
      what: 'steps may be skipped',
      to: '+15552000008',
      entry: 'accepted',
      ends: 'read',
      steps: [
        ['accepted', null],
        ['read', null],
      ],
    },
    {
      what: 'a status that is acknowledged before the send is answered counts, and the outcome is added to it',
      to: '+15552000009',
      entry: 'accepted',
      ends: 'delivered',
      steps: [
        ['accepted', null],
        ['delivered', null],
      ],
    },
    {
      what: 'statuses without a phone number count',
      to: '+15552000012',
      entry: 'accepted',
      ends: 'read',
      steps: [
        ['accepted', null],
        ['sent', null],
        ['delivered', null],
        ['read', null],
      ],
    },
  ];
  for (const { what, to, entry, ends, steps } of cases)
    it(what, async () => {
      const sent = await sendOne(gateway, to);
      assert.equal(sent.status, entry);
      assert.deepEqual(await untilSteps(sent.id, steps.length), steps);
      const message = await readMessage(gateway, sent.id);
      assert.equal(message.status, ends);
      assert.equal(message.error?.code, ends === 'failed' ? 'recipient_unreachable' : undefined);
      if (sent.message_id !== undefined) assert.equal(message.message_id, sent.message_id);
    });

  it('a held message that fails tells why and stays held', async () => {
    const { id } = await sendOne(gateway, '+15552000013');
    await untilSteps(id, 2);
    const message = await readMessage(gateway, id);
    assert.deepEqual([message.status, message.held, message.error.code], ['failed', true, 'template_paused']);
  });

  it('the answer of a person is received', async () => {
    await sendOne(gateway, '+15552000014');
    const [reply] = await until(async () => {
      const { json } = await gateway.call('GET', '/api/v1/messages?direction=inbound');
      return json.data.length > 0 ? json.data : undefined;
    });
    assert.deepEqual([reply.from, reply.status, reply.text], ['+15552000014', 'received', { body: 'Hello back' }]);
    assert.deepEqual(reply.profile, { name: 'Zoë 0014' });
  });

  it('a message in flight is settled by a notification at once, and the later outcome keeps it', async () => {
    const to = '+15552000003';
    const answer = sendOne(gateway, to);
    const transmits = await until(async () => {
      const seen = await transmitsOf(gateway.sandbox, to);
      return seen.length > 0 ? seen : undefined;
    });
    const id = transmits[0]?.biz_opaque_callback_data ?? '';
    const before = await readMessage(gateway, id);
    assert.deepEqual([before.status, before.message_id, before.timeline], ['transmitting', null, []]);
    await postSigned(
      asSandbox(gateway),
      messagesBody(line, { statuses: [statusOf('read', { providerId: 'wamid.early', messageId: id })] }),
    );
    await until(async () => (await readMessage(gateway, id)).status === 'read');
    const early = await readMessage(gateway, id);
    assert.deepEqual([early.message_id, early.text.body], ['wamid.early', 'Your parcel is here']);
    const entry = await answer;
    assert.deepEqual([entry.id, entry.status], [id, 'accepted']);
    const late = await readMessage(gateway, id);
    assert.deepEqual([late.status, late.message_id, late.error], ['read', 'wamid.early', null]);
    assert.deepEqual((await timelineOf(id))[0], ['accepted', null]);
  });

  it('a throttled message that a notification has settled is not transmitted again', async () => {
    const to = '+15550130429';
    const answer = sendOne(gateway, to);
    const [transmit] = await until(async () => {
      const seen = await transmitsOf(gateway.sandbox, to);
      return seen.length > 0 ? seen : undefined;
    });
    const messageId = transmit?.biz_opaque_callback_data ?? '';
    const statuses = [statusOf('sent', { providerId: 'wamid.contradiction', messageId })];
    await postSigned(asSandbox(gateway), messagesBody(line, { statuses }));
    const entry = await answer;
    assert.deepEqual([entry.status, entry.message_id], ['accepted', 'wamid.contradiction']);
    assert.equal((await transmitsOf(gateway.sandbox, to)).length, 1);
    assert.equal((await readMessage(gateway, messageId)).status, 'sent');
  });
});
