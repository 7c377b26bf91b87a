import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rangeQuery } from './range.ts';

it('a year that is still being typed, or that no time can have, is asked for as it stands', () => {
  const query = rangeQuery({ span: '', from: '0002-01-31T12:00', to: '20260-01-01T00:00' }, 0);
  // Noon is another day in UTC where the zone of the machine is more than twelve hours away.
  assert.match(query.since ?? '', /^0002-0[12]-/);
  assert.equal(query.until, '20260-01-01T00:00');
});
