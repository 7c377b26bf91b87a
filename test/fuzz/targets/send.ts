import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertProblem } from '../../support/problem.ts';
import { assertAggregate } from '../assert-aggregate.ts';
import { sendBody } from '../send-body.ts';
import type { FuzzTarget } from '../target.ts';

/** Any body must be answered by an error of the caller or with an entry for every recipient, and `validate` must agree. */
export const sendTarget: FuzzTarget = {
  name: 'bodies of sends',
  property: (gateway) =>
    fc.asyncProperty(sendBody, async (body) => {
      const answer = await gateway.call('POST', '/api/v1/messages/send', { body });
      const validated = await gateway.call('POST', '/api/v1/messages/validate', { body });
      assert.equal(validated.status, answer.status, `send: ${answer.text}, validate: ${validated.text}`);
      if (answer.status === 200) {
        assertAggregate(answer, body);
        assert.equal(validated.json.results.length, answer.json.results.length);
        return;
      }
      assert.ok(answer.status < 500, answer.text);
      assertProblem(answer, answer.json.code);
      assertProblem(validated, answer.json.code);
    }),
};
