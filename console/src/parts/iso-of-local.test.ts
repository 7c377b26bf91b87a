import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isoOfLocal } from './iso-of-local.ts';

it('a moment that a field can name and no time can be is left to the API to refuse', () => {
  assert.equal(isoOfLocal('2026-01-31T12:00'), new Date(2026, 0, 31, 12).toISOString());
  for (const odd of ['20260-01-01T00:00', '275760-09-13T00:00', '']) assert.equal(isoOfLocal(odd), odd);
});
