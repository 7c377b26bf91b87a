import assert from 'node:assert/strict';
import fc from 'fast-check';
import { asSandbox, isProcessed, postSigned } from '../../support/notifications.ts';
import { until } from '../../support/until.ts';
import { anyBytes, mutatedPayload } from '../notification-body.ts';
import type { FuzzTarget } from '../target.ts';

/** Any signed body must be answered 200 and kept, and the database must take whatever is made of it. */
export const notificationTarget: FuzzTarget = {
  name: 'signed notifications',
  property: (gateway) =>
    fc.asyncProperty(fc.oneof(anyBytes, mutatedPayload), async (body) => {
      const answer = await postSigned(asSandbox(gateway), body);
      assert.equal(answer.status, 200, answer.text);
    }),
  async after(gateway) {
    await until(() => isProcessed(gateway), 120_000);
    const refused = await gateway.database.query<{ body: Buffer; error: string }>(
      `select body, error from notification where error like '%failed%' limit 3`,
    );
    assert.deepEqual(
      refused.map(({ body, error }) => `${error}: ${body.toString()}`),
      [],
    );
    await gateway.database.query('delete from notification');
    // A text that the provider would never send is shown as it came, which may not fit the description. Other targets must not find it.
    await gateway.database.query(`delete from message where direction = 'inbound'`);
  },
};
