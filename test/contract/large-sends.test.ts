import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENT } from '../support/patient.ts';
import { assertProblem } from '../support/problem.ts';
import { transmitsOf } from '../support/transmits.ts';
import { until } from '../support/until.ts';

/** The sandbox takes a message to this number, and does not answer for a minute. */
const SILENT = '+15552000003';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ settings: { WAYPOST_SENDS_MAX: '8', ...PATIENT } });
});
after(() => gateway.stop());

/** Spaces between the members count like any other bytes. */
function send(to: string, kib: number) {
  const body = JSON.stringify({ to, type: 'text', text: { body: 'Hello' } });
  return gateway.call('POST', '/api/v1/messages/send', { body: body + ' '.repeat(kib * 1_024 - body.length) });
}

it('a large send counts as many of those that an account may have under way, until it is over', async () => {
  // Each send takes a place for every 8 KiB or part of them, and an account may have half of the eight places.
  const held = send(SILENT, 24);
  await until(async () => (await transmitsOf(gateway.sandbox, SILENT)).length === 1);
  const refused = await send('+447700900961', 9);
  assertProblem(refused, 'unavailable');
  assert.equal(refused.json.detail, 'Too many sends are under way.');
  assert.deepEqual(await transmitsOf(gateway.sandbox, '+447700900961'), []);
  assert.equal((await send('+447700900962', 8)).status, 200);
  await gateway.sandbox.close();
  assert.equal((await held).json.unknown_count, 1);
  assert.equal((await send('+447700900961', 9)).status, 200);
  assert.equal(
    (await send('+447700900961', 1_024)).status,
    200,
    'the largest is taken where nothing else is under way',
  );
});
