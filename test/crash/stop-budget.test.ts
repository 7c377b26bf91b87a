import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countStatuses } from '../nodes/books.ts';
import { phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { startCrashWorld } from '../support/crash-world.ts';
import { until } from '../support/until.ts';

/** A stop that takes longer ends with code 1. So the code 0 proves that the budget was kept, by the gateway's own clock. */
const BUDGET_MS = 8_000;
const BUDGET = { WAYPOST_STOP_BUDGET_MS: String(BUDGET_MS) };

// They mostly wait, each for processes and a database of its own.
describe('the budget of a stop', { concurrency: 3 }, () => {
  it('a stop with nothing left to commit is clean within its budget although the database says nothing any more', async (t) => {
    const world = await startCrashWorld(t, 0);
    const gateway = await world.startGateway(BUDGET);
    assert.equal((await sendText(gateway.dev, phoneNumbers(0, 2))).json.accepted_count, 2);
    world.proxy.stall();
    // By then the loops have asked the database, and have no answer.
    await until(async () => (await readApi(gateway.dev, '/readyz')).status === 503);
    assert.equal(await gateway.stop(), 0);
    assert.match(gateway.output(), /"what":"lease","msg":"stop.not_waited_for"/);
  });

  it('a stop that could not commit what the provider has answered says so at the end of its budget', async (t) => {
    const world = await startCrashWorld(t, 1_000);
    const gateway = await world.startGateway(BUDGET);
    const sent = sendText(gateway.dev, phoneNumbers(0, 3), { key: 'silent' });
    await world.untilTransmitted(3);
    world.proxy.stall();
    assert.equal((await sent).json.accepted_count, 3);
    const begunMs = Date.now();
    assert.equal(await gateway.stop(), 1);
    const tookMs = Date.now() - begunMs;
    assert.ok(tookMs >= BUDGET_MS - 100, `${tookMs} ms`);
    assert.match(gateway.output(), /WAYPOST_STOP_BUDGET_MS/);
  });

  it('a stop does not wait for late answers of the provider beyond its budget: their messages are committed as unknown', async (t) => {
    const world = await startCrashWorld(t, 60_000);
    // Long enough to hand all three to the provider, also on a machine that others keep busy.
    const gateway = await world.startGateway({ ...BUDGET, WAYPOST_SEND_DEADLINE_MS: '5000' });
    assert.equal((await sendText(gateway.dev, phoneNumbers(0, 3))).json.unknown_count, 3);
    assert.equal(await gateway.stop(), 0);
    assert.deepEqual(await countStatuses(world.db.database), { unknown: 3 });
  });
});
