import assert from 'node:assert/strict';
import { it } from 'node:test';
import { undisturbed } from '../support/undisturbed.ts';
import { until } from '../support/until.ts';
import { startHarness } from './harness.ts';
import { startReceiver } from './receiver.ts';

/** Answered at once, so that as many are claimed ahead. All others are answered slowly, ten at a time: that takes more than four seconds. */
const QUICK = 150;
const EVENTS = 400;
const SLOW_MS = 300;
/** Within this time a change holds on every node. */
const PROMISED_MS = 2_000;
const CLAIM_HANGS = `
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%with recursive%'`;

it('a change at another node holds within two seconds, although the claim of the next events hangs', () =>
  undisturbed(async () => {
    const harness = await startHarness();
    const elsewhere = await startReceiver();
    const before = await startReceiver((response, place) => {
      setTimeout(() => response.writeHead(204).end(), place < QUICK ? 0 : SLOW_MS);
    });
    try {
      const { database } = harness;
      const { id } = await harness.addEndpoint(before.url);
      await harness.record(EVENTS);
      await until(() => before.received.length > QUICK);
      await database.transaction(async (tx) => {
        await tx.query('lock table delivery in access exclusive mode');
        harness.deliveries.nudge();
        await until(async () => (await database.query(CLAIM_HANGS)).length > 0);
        // Another node makes the change, so this one is not told.
        await database.query('update endpoint set url = $2, version = version + 1 where id = $1', [id, elsewhere.url]);
        const changedMs = Date.now();
        await until(() => Date.now() - changedMs > PROMISED_MS);
        const sent = before.received.length;
        await until(() => Date.now() - changedMs > PROMISED_MS + 3 * SLOW_MS);
        assert.equal(before.received.length, sent);
      });
      await until(() => before.received.length + elsewhere.received.length === EVENTS);
    } finally {
      await harness.stop();
      await Promise.all([before.close(), elsewhere.close()]);
    }
  }));
