import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { assertAggregate } from '../fuzz/assert-aggregate.ts';
import { sendBody } from '../fuzz/send-body.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { transmitsOf } from '../support/transmits.ts';

const RUNS = 300;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

describe('whatever the body of a send is', () => {
  it('the answer is an error that stored and sent nothing, or has an entry for every recipient', async () => {
    let [requests, transmits, answered] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(sendBody, async (given) => {
        const answer = await gateway.call('POST', '/api/v1/messages/send', { body: given });
        if (answer.status === 200) {
          answered += 1;
          requests += 1;
          transmits += assertAggregate(answer, given);
        } else {
          assert.ok(answer.status < 500, answer.text);
          assertProblem(answer, answer.json.code);
        }
        assert.equal(await countRequests(), requests);
        assert.equal((await transmitsOf(gateway.sandbox)).length, transmits);
      }),
      { numRuns: RUNS },
    );
    assert.ok(answered > RUNS / 20, `only ${answered} of ${RUNS} bodies were sends`);
    const [stored] = await gateway.database.query<{ count: number }>('select count(*)::integer as count from message');
    assert.ok((stored?.count ?? 0) >= transmits);
  });
});

async function countRequests(): Promise<number> {
  const [row] = await gateway.database.query<{ count: number }>('select count(*)::integer as count from request');
  return row?.count ?? 0;
}
