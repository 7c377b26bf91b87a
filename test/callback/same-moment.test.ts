import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { asSandbox, isProcessed, lineOf, messagesBody, postSigned, statusOf } from '../support/notifications.ts';
import { PATIENT } from '../support/patient.ts';
import { transmitsOf } from '../support/transmits.ts';
import { undisturbed } from '../support/undisturbed.ts';
import { until } from '../support/until.ts';

const REQUESTS = 10;
const RECIPIENTS = 50;
/** Long enough that statuses are posted while the sends are in flight, and short enough that both end together. */
const LATENCY_MS = 400;
const A_BODY = 37;

describe('statuses and outcomes that are written in the same moment', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ settings: PATIENT, sandbox: { statuses: 'off', latencyMs: LATENCY_MS } });
  });
  after(() => gateway.stop());

  it('both count for every message, whichever comes first', (test) => undisturbed(() => sendAndReport(test)));

  const reported = new Set<string>();
  async function sendAndReport(test: TestContext): Promise<void> {
    const accountId = await gateway.createAccount('Same moment');
    const key = await gateway.createKey({ accountId });
    const line = await lineOf(gateway, accountId);
    const to = Array.from({ length: RECIPIENTS }, (_, place) => `+4477009${String(place).padStart(5, '0')}`);
    const body = { to, type: 'text', text: { body: 'Your parcel is here' } };
    const sends = Array.from({ length: REQUESTS }, () => gateway.call('POST', '/api/v1/messages/send', { key, body }));

    const before = reported.size;
    const posts: Promise<unknown>[] = [];
    await until(async () => {
      const seen = await transmitsOf(gateway.sandbox);
      const fresh = seen.filter(
        ({ id, biz_opaque_callback_data: ours }) => id !== null && ours !== null && !reported.has(ours),
      );
      // The newest come first, against the order in which the sends lock.
      const statuses = fresh.toReversed().map(({ id, biz_opaque_callback_data: messageId }) => {
        reported.add(messageId ?? '');
        return statusOf('read', { providerId: id ?? '', messageId: messageId ?? '' });
      });
      for (let from = 0; from < statuses.length; from += A_BODY)
        posts.push(
          postSigned(asSandbox(gateway), messagesBody(line, { statuses: statuses.slice(from, from + A_BODY) })),
        );
      return reported.size === before + REQUESTS * RECIPIENTS;
    });
    await Promise.all(posts);
    const entries = (await Promise.all(sends)).flatMap(({ json }) => json.results);
    assert.equal(entries.length, REQUESTS * RECIPIENTS);
    assert.deepEqual(new Set(entries.map(({ status }) => status)), new Set(['accepted']));
    await until(() => isProcessed(gateway));
    const rows = await gateway.database.query<{ status: string; outcome: string; reports: number; early: number }>(
      `select m.status, m.outcome, r.reports, count(*) filter (where r.first_at < m.outcome_at) as early
       from message m cross join lateral (
         select count(*) as reports, min(received_at) as first_at from timeline t
         where t.account_id = m.account_id and t.message_id = m.id
       ) r where m.account_id = $1 group by 1, 2, 3`,
      [accountId],
    );
    const early = rows[0]?.early ?? 0;
    test.diagnostic(`${early} of ${entries.length} were reported before their outcome`);
    assert.deepEqual(rows, [{ status: 'read', outcome: 'accepted', reports: 1, early }]);
    assert.ok(early > 0);
  }
});
