import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readProblem } from './failure.ts';

it('tells a person nothing of headers where a key is refused, and else what the gateway says', () => {
  const told = (code: string) =>
    readProblem(401, { code, detail: 'Send "Authorization: Bearer <API_KEY>".' }, null).detail;
  assert.equal(told('invalid_api_key'), 'This key is not valid here.');
  assert.equal(told('other'), 'Send "Authorization: Bearer <API_KEY>".');
});
