import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { startTestGateway } from '../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';

it('the log says why items cannot be read and where they stand, and nothing of what is in them', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const gateway = await startTestGateway({ log, sandbox: { statuses: 'off' } });
  t.after(() => gateway.stop());
  const messages = [textFrom('+447700900123', 'wamid.1'), textFrom('+447700900123', 'wamid.2', { id: undefined })];
  const statuses = [
    7,
    { id: 'wamid.3', recipient_id: '447700900123' },
    { id: 'wamid.4', recipient_id: '447700900123' },
  ];
  await postAndApply(gateway, messagesBody(await lineOf(gateway), { messages, statuses }));
  const told = lines.filter((line) => line.includes('notifications.undecodable'));
  assert.equal(told.length, 1, 'once for all of them');
  const { items, reasons, example } = JSON.parse(told[0] ?? '');
  assert.deepEqual([items, reasons], [4, { not_an_object: 1, no_status: 2, no_message_id: 1 }]);
  const listed = await gateway.call('GET', '/platform/v1/notifications?state=set_aside', {
    key: gateway.platformKey,
  });
  assert.equal(example.notification_id, listed.json.data[0].id);
  assert.match(example.pointer, /^\/entry\/0\/changes\/0\/value\/(statuses|messages)\/\d$/);
  assert.doesNotMatch(told[0] ?? '', /447700900123|wamid|Hello/);
});
