import assert from 'node:assert/strict';
import { it } from 'node:test';
import { askSeldom } from './ask-seldom.ts';

it('while a question has no answer none is asked beside it, however old it is and however many want to know', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<string>();
  const ask = () => {
    asked += 1;
    return answer.promise;
  };
  const know = askSeldom(ask, { believedMs: 0, waitMs: 1, late: () => 'late' });
  assert.deepEqual(await Promise.all([know(), know()]), ['late', 'late']);
  assert.equal(await know(), 'late');
  assert.equal(asked, 1);
  answer.resolve('told');
  assert.equal(await know(), 'told');
  assert.equal(await know(), 'told');
  assert.equal(asked, 2, 'an answer that is not believed any more is asked for anew');
});
