import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { meetLock } from '../../../test/support/meet-lock.ts';
import { assertProblem } from '../../../test/support/problem.ts';
import { callRaw } from '../../../test/support/raw-http.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';
import { until } from '../../../test/support/until.ts';
import type { Queryable } from '../../store/database.ts';
import { createFindReplay, hashBody } from './idempotency.ts';

const SEND = '/api/v1/messages/send';
/** So long that requests of one moment meet while the first of them is under way. */
const LATENCY_MS = 400;
/** The sandbox refuses it for now, so that its message takes 5 s. */
const SLOW = '+15552000005';

let gateway: TestGateway;
let numbers = 0;
before(async () => {
  gateway = await startTestGateway({ sandbox: { latencyMs: LATENCY_MS } });
});
after(() => gateway.stop());

const newNumber = () => `+44770090${String(2000 + numbers++)}`;
const bodyTo = (to: string) => JSON.stringify({ to, type: 'text', text: { body: 'Hello' } });
const send = (idempotencyKey: string, body: string, key = gateway.testKey) =>
  gateway.call('POST', SEND, { key, body, headers: { 'idempotency-key': idempotencyKey } });

describe('an idempotency key', () => {
  it('gives the first answer again, byte for byte, and transmits once', async () => {
    const to = newNumber();
    const first = await send('again', bodyTo(to));
    assert.equal(first.status, 200);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const second = await send('again', bodyTo(to));
    assert.equal(second.status, 200);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
    assert.match(second.headers.get('x-request-id') ?? '', /^req_/);
    assert.notEqual(second.headers.get('x-request-id'), first.headers.get('x-request-id'));
    assert.equal((await transmitsOf(gateway.sandbox, to)).length, 1);
  });

  it('is the same quoted and bare', async () => {
    const same: [string, string][] = [
      ['a-key', '"a-key"'],
      ['back\\slash', '"back\\\\slash"'],
      ['in"side', '"in\\"side"'],
      ['~!@#$%^&*()', '"~!@#$%^&*()"'],
    ];
    for (const [bare, quoted] of same) {
      const body = bodyTo(newNumber());
      const first = await send(bare, body);
      const second = await send(quoted, body);
      assert.equal(second.text, first.text, quoted);
      assert.equal(second.headers.get('idempotent-replayed'), 'true');
    }
  });

  it('has 1 to 255 visible characters', async () => {
    const body = bodyTo(newNumber());
    for (const key of ['k'.repeat(255), `"${'q'.repeat(255)}"`, `"${'\\"'.repeat(255)}"`])
      assert.equal((await send(key, body)).status, 200);
    const malformed = ['', '""', 'a b', '"a b"', '"', '"open', 'k'.repeat(256), `"${'q'.repeat(256)}"`];
    for (const key of [...malformed, '"a"b"', '"a\\n"', '"a", "b"', 'ü', 'a\tb', 'x'.repeat(10_240)])
      assertProblem(await send(key, body), 'idempotency_key_invalid');
  });

  it('may not come in two headers', async () => {
    const credentials = ['authorization', `Bearer ${gateway.testKey}`, 'content-type', 'application/json'];
    for (const [one, two] of [
      ['a', 'b'],
      ['same', 'same'],
    ] as const) {
      const headers = [...credentials, 'idempotency-key', one, 'Idempotency-Key', two];
      const body = bodyTo(newNumber());
      assertProblem(
        await callRaw(gateway.url, { method: 'POST', path: SEND, headers, body }),
        'idempotency_key_invalid',
      );
    }
  });

  it('stands for the raw bytes of one body, also where the other is refused', async () => {
    const body = bodyTo(newNumber());
    const first = await send('bytes', body);
    for (const other of [`${body} `, body.replace(':', ': '), bodyTo(newNumber()), '{"bogus":1}'])
      assertProblem(await send('bytes', other), 'idempotency_mismatch');
    assert.equal((await send('bytes', body)).text, first.text);
  });

  it('leaves the thread to others while large bodies are read, as without one', async () => {
    const body = JSON.stringify({ to: '1,'.repeat(200_000), type: 'text', text: { body: 'Hello' } });
    const begun = performance.eventLoopUtilization();
    const answers = ['large-1', 'large-2', 'large-3', 'large-4'].map((key) => send(key, body));
    for (const answer of await Promise.all(answers)) assertProblem(answer, 'too_many_recipients');
    // A third of the time, and some for the bytes as they come. Without a turn for each it would be nearly all of it.
    const { utilization } = performance.eventLoopUtilization(begun);
    assert.ok(utilization < 0.8, `${utilization} of the time`);
  });

  it('is in flight while its first request runs', async () => {
    const first = send('running', bodyTo(SLOW));
    await until(async () => (await transmitsOf(gateway.sandbox, SLOW)).length > 0);
    const second = await send('running', bodyTo(SLOW));
    assertProblem(second, 'idempotency_in_flight');
    assert.equal(second.headers.get('retry-after'), '1');
    assertProblem(await send('running', `${bodyTo(SLOW)} `), 'idempotency_mismatch');
    const { text } = await first;
    assert.equal((await send('running', bodyTo(SLOW))).text, text);
  });

  it('lets one of many requests at once transmit', async () => {
    const to = newNumber();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('crowd', bodyTo(to))));
    const carriedOut = answers.filter(({ status, headers }) => status === 200 && !headers.has('idempotent-replayed'));
    assert.equal(carriedOut.length, 1);
    for (const answer of answers)
      if (answer.status === 200) assert.equal(answer.text, carriedOut[0]?.text);
      else assertProblem(answer, 'idempotency_in_flight');
    assert.equal((await transmitsOf(gateway.sandbox, to)).length, 1);
  });

  it('that another request claims between look-up and commit, and is done with by then, gives its answer again', async () => {
    const to = newNumber();
    const first = await send('before', bodyTo(to));
    assert.equal(first.status, 200);
    // As another node would: its commit is under way while this request looks the key up, and waits to claim it.
    const second = await meetLock(gateway.database, {
      hold: (tx) => tx.query(`update idempotency set key = 'raced' where key = 'before'`),
      work: () => send('raced', bodyTo(to)),
    });
    assert.deepEqual([second.status, second.text], [200, first.text]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    const other = await meetLock(gateway.database, {
      hold: (tx) => tx.query(`update idempotency set key = 'raced-again' where key = 'raced'`),
      work: () => send('raced-again', `${bodyTo(to)} `),
    });
    assertProblem(other, 'idempotency_mismatch');
    assert.equal((await transmitsOf(gateway.sandbox, to)).length, 1);
  });

  it('belongs to an account and a mode, whichever of their keys is used', async () => {
    const body = bodyTo(newNumber());
    const first = await send('scope', body);
    const sibling = await gateway.createKey({});
    assert.equal((await send('scope', body, sibling)).text, first.text);
    const accountId = await gateway.createAccount('Other');
    const other = await send('scope', body, await gateway.createKey({ accountId }));
    assert.equal(other.headers.has('idempotent-replayed'), false);
    assert.equal(other.json.account_id, accountId);
    const live = await gateway.createKey({ mode: 'live' });
    assertProblem(await send('scope', body, live), 'no_channel');
  });

  it('stays free after every error answer', async () => {
    const body = bodyTo(newNumber());
    const refused = ['{"to":1}', '{', JSON.stringify({ ...JSON.parse(body), from: '+447700900000' })];
    for (const wrong of refused) assert.ok((await send('free', wrong)).status >= 400);
    const first = await send('free', body);
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [200, null]);
  });

  it('is free again when its time is over', async () => {
    const to = newNumber();
    const first = await send('day', bodyTo(to));
    const [row] = await gateway.database.query<{ hours: number }>(
      `select extract(epoch from expires_at - created_at)::float / 3600 as hours from idempotency where key = 'day'`,
    );
    assert.equal(row?.hours, 24);
    await gateway.database.query(`update idempotency set expires_at = now() where key = 'day'`);
    const second = await send('day', `${bodyTo(to)} `);
    assert.deepEqual([second.status, second.headers.get('idempotent-replayed')], [200, null]);
    assert.notEqual(second.json.request_id, first.json.request_id);
    assert.equal((await transmitsOf(gateway.sandbox, to)).length, 2);
  });
});

it('keys of one moment are looked up together', async () => {
  let asked = 0;
  const store: Queryable = {
    query: (...statement) => {
      asked++;
      return gateway.database.query(...statement);
    },
  };
  const findReplay = createFindReplay(store);
  const claims = Array.from({ length: 40 }, (_, number) => ({
    key: `together-${number}`,
    bodySha256: hashBody(Buffer.alloc(0)),
  }));
  const found = await Promise.all(claims.map((claim) => findReplay(gateway.accountId, 'test', claim)));
  assert.deepEqual([...new Set(found)], [undefined]);
  assert.ok(asked <= 2, `${asked} queries for ${claims.length} keys`);
});
