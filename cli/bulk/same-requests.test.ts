import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startTestGateway } from '../../test/support/gateway.ts';
import { runCli } from '../test-support.ts';
import { PLAN_VERSION } from './batches.ts';

/** So many rows with one text, then others: one with another text, one without any, and one that repeats the first number. */
const ALIKE = 52;
const OTHERS = [' +447700900101 ,Bye, order-a ', '+447700900102,Hello,', '+447700900103,,', '+447700900000,Hello,'];
/** In the second request this row alone is refused, for its reference, and the others of that request go out without it. */
const REFUSED = 50;

const REQUESTS = `
  select i.key, array(select m.phone from message m where m.id = any(r.message_ids) order by m.phone) as phones,
    left(encode(i.body_sha256, 'hex'), 8) as body
  from idempotency i join request r on r.id = i.request_id order by i.key`;

/**
 * Another version that goes on with a send asks again for what was under way, by the same keys. If a key stood for other rows there, some people
 * would get the message twice; with other bytes the gateway would refuse it. Whoever changes what this test expects raises `PLAN_VERSION`, which
 * keeps such a version off.
 */
it('a send from a file makes the requests, with the keys, that every version of the same plan makes', async (t) => {
  const gateway = await startTestGateway();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-plan-'));
  t.after(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });
  const numbers = Array.from({ length: ALIKE }, (_, row) => `+4477009000${String(row).padStart(2, '0')}`);
  const rows = numbers.map((number, row) => `${number},Hello,${row === REFUSED ? 'x'.repeat(256) : `order-${row}`}`);
  const path = join(folder, 'people.csv');
  await writeFile(path, `to,text,client_reference\n${[...rows, ...OTHERS].join('\n')}\n`);
  const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
  const { stdout } = await runCli(['send', '--csv', path, '--text', '{{text}}'], env);
  assert.match(stdout, /^56 of 56 rows: 53 accepted, 3 failed/);
  const requests = await gateway.database.query<{ key: string; phones: string[]; body: string }>(REQUESTS);
  const prefix = 'waypost-csv-6b51a6f2a59e52505c9304e54288633c';
  assert.deepEqual(
    [PLAN_VERSION, requests],
    [
      3,
      [
        { key: `${prefix}-0`, phones: numbers.slice(0, 50), body: '03424041' },
        { key: `${prefix}-1.1`, phones: [numbers[51]], body: '3f4ad703' },
        { key: `${prefix}-2`, phones: ['+447700900101'], body: '4f9df8aa' },
        { key: `${prefix}-3`, phones: ['+447700900102'], body: 'bf65f8f6' },
      ],
    ],
  );
});
