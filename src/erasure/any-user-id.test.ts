import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { endErasures, erase } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';

const HEDY = '+447700900767';
/** With each character that means something in a regular expression, and one that JSON writes in another way. */
const USER_ID = 'GB.)HEDY(1914[]{}*+?^$|\\d"';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('an erasure comes to its end whatever characters the provider has put into a user id, and finds exactly that id', async () => {
  const line = await lineOf(gateway);
  const said = textFrom(HEDY, 'wamid.hedy', { from_user_id: USER_ID });
  const newsOf = (userId: string) => ({
    ...{ from: '447700900768', id: `wamid.of-${userId}`, type: 'system', timestamp: '1767225600' },
    system: { body: `Their id was ${userId}, and is GB.LAMARR`, type: 'user_changed_user_id' },
  });
  const others = 'GB.HEDY1914d"';
  await postAndApply(gateway, messagesBody(line, { messages: [said, newsOf(USER_ID), newsOf(others)] }));
  await erase(gateway, HEDY);
  await endErasures(gateway.database);
  const rows = await gateway.database.query<{ told: string | null }>(
    "select coalesce(content->>'body', user_id) as told from message order by id",
  );
  assert.deepEqual(
    rows.map(({ told }) => told),
    [null, null, newsOf(others).system.body],
  );
});
