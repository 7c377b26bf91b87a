import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { isFarNumber } from '../../src/kernel/is-far-number.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { asSandbox, isProcessed, lineOf, messagesBody, postSigned } from '../support/notifications.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/until.ts';

/**
 * How many times as long as it came a text may be when it is read back: PostgreSQL writes out all digits of a number, and a space after it.
 */
const GROWTH_MAX = 6;
const FAR = ['1e308', '-1e308', '1e-307', '1e21', '1e400'];

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

it('what the database writes of a number that it is given is little longer than what was given', async () => {
  const number = fc.oneof(
    fc.double({ noNaN: true }),
    fc.double({ min: -1e-15, max: 1e-15, noNaN: true }),
    fc.integer(),
  );
  const near = fc.array(
    number.filter((value) => !isFarNumber(value)),
    { minLength: 1, maxLength: 50 },
  );
  const edges = [1e20, 1e-20, 1e-21, 9.999999999999999e20, 1.0000000000000001e-21];
  await fc.assert(
    fc.asyncProperty(near, async (numbers) => {
      const given = JSON.stringify(numbers);
      const [row] = await gateway.database.query<{ text: string }>('select $1::jsonb::text as text', [given]);
      assert.ok((row?.text.length ?? Number.NaN) <= GROWTH_MAX * given.length, `${given} ${row?.text}`);
    }),
    { numRuns: 100, examples: [[edges]] },
  );
});

describe('numbers with hundreds of places', () => {
  for (const number of FAR)
    it(`are refused in a send, and stored of no message: ${number}`, async () => {
      const parameters = '[{"type":"text","text":"Ada"}]';
      const body = `{"type":"template","to":"+447700900123","template":{"name":"order_update","language":"en_US",
        "components":[{"type":"body","parameters":${parameters},"x":[1,${number}]}]}}`;
      const errors = assertProblem(await gateway.call('POST', '/api/v1/messages/send', { body }), 'invalid_request');
      const detail = `This number is too ${number.includes('-307') ? 'close to zero' : 'large'}.`;
      assert.deepEqual(errors, [{ pointer: '#/template/components/0/x/1', detail }]);
    });

  it('do not make an event of a message from a person that nobody can read', async () => {
    const line = await lineOf(gateway);
    const numbers = `[${new Array(50_000).fill(FAR).flat().join()}]`;
    const item = { from: '447700900777', id: 'wamid.far', timestamp: '1789000000', type: 'text', text: 'NUMBERS' };
    const body = JSON.stringify(messagesBody(line, { messages: [item] })).replace('"NUMBERS"', `{"body":${numbers}}`);
    assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
    await until(() => isProcessed(gateway));
    const { json, text } = await gateway.call('GET', '/api/v1/events?limit=1');
    assert.deepEqual(json.data[0].data.message.content.body.slice(0, FAR.length), FAR);
    assert.ok(text.length < GROWTH_MAX * body.length, `${text.length} of ${body.length}`);
  });
});
