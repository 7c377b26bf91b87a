import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { lineOf, listNotifications, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

/** Three bytes each, in an order in which the database finds nothing to compress. */
function ideographs(length: number, step: number): string {
  return Array.from({ length }, (_, place) =>
    String.fromCodePoint(0x4e00 + ((place * place * step + place * 7) % 20_000)),
  ).join('');
}

it('what a person writes is told however long the names are that the provider gives the person', async () => {
  const line = await lineOf(gateway);
  for (const length of [128, 256, 512]) {
    const names = { from_user_id: ideographs(length, 7_919), from_parent_user_id: ideographs(length, 104_729) };
    const said = textFrom('+447700900771', `wamid.long-${length}`, names);
    await postAndApply(gateway, messagesBody(line, { messages: [said] }));
    const { json } = await gateway.call('GET', `/api/v1/messages?message_id=wamid.long-${length}`);
    assert.equal(json.data[0]?.user_id, length <= 256 ? names.from_user_id : null);
  }
  const left = await listNotifications(gateway, '&state=set_aside');
  assert.deepEqual(left, []);
});
