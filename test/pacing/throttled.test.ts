import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Database } from '../../src/store/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { transmitsOf } from '../support/transmits.ts';
import { undisturbed } from '../support/undisturbed.ts';

/** The codes with which the provider throttles. The sandbox has a number for each of them. */
const THROTTLED = [131056, 130429, 4, 17, 32, 613, 80007, 80008, 2, 131016, 131057, 133004];
const SENDS = 4;
const MESSAGES = SENDS * THROTTLED.length;
/** Long enough for the first repetition, after a second, but not for the next one, four seconds later. */
const DEADLINE_MS = 4_000;

const looks: string[] = [];
let gateway: TestGateway;
before(async () => {
  const test = await createTestDatabase();
  const database: Database = {
    ...test.database,
    query: (sql, values) => {
      if (/^\s*select\b/.test(sql) && /\b(from|join) (message|request)\b/.test(sql)) looks.push(sql);
      return test.database.query(sql, values);
    },
  };
  const settings = { WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS) };
  gateway = await startTestGateway({ settings, testDatabase: { ...test, database } });
});
after(() => gateway.stop());

it('Messages that the provider throttles are looked at before they are tried again, and not each by two statements of its own', async () => {
  const to = THROTTLED.map((code) => `+15550${String(code).padStart(6, '0')}`);
  const body = { to, type: 'text', text: { body: 'Hello' } };
  const countTransmits = async () =>
    Promise.all(to.map(async (number) => (await transmitsOf(gateway.sandbox, number)).length));
  // On a machine that stands still the time is over before the first repetition.
  await undisturbed(async () => {
    const earlier = await countTransmits();
    looks.length = 0;
    const answers = await Promise.all(
      Array.from({ length: SENDS }, () => gateway.call('POST', '/api/v1/messages/send', { body })),
    );
    for (const { json } of answers) assert.equal(json.failed_count, THROTTLED.length);
    assert.deepEqual(
      await countTransmits(),
      earlier.map((count) => count + 2 * SENDS),
    );
    // When each message asked by itself, it took two statements. Now messages share them, and how many do depends on how close together
    // the refusals come: mostly 8 to 14 statements, and 35 in a slow moment. That messages of one moment share one is tested in
    // `is-transmitting.test.ts`.
    const most = MESSAGES * 1.5;
    assert.ok(looks.length >= 1 && looks.length < most, `${looks.length} statements for ${MESSAGES} messages`);
  });
});
