import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { composeStatement } from './statement-part.ts';

describe('a statement of parts', () => {
  it('counts the parameters of each part on from those before it, also beyond nine', () => {
    const many = Array.from({ length: 11 }, (_, place) => place);
    const { text, values } = composeStatement([
      { ctes: ['a as (select $1, $11)'], result: undefined, values: many },
      { ctes: ['b as (select $1)', 'c as (select $2)'], result: 'select $2 from c', values: ['x', 'y'] },
    ]);
    assert.equal(text, 'with a as (select $1, $11),b as (select $12),c as (select $13) select $13 from c');
    assert.deepEqual(values, [...many, 'x', 'y']);
  });

  it('gives the rows of all its parts', () => {
    const { text } = composeStatement([
      { ctes: ['a as (select $1)'], result: 'select $1 from a', values: ['x'] },
      { ctes: ['b as (select $1)'], result: 'select $1 from b', values: ['y'] },
    ]);
    assert.equal(text, 'with a as (select $1),b as (select $2) select $1 from a union all select $2 from b');
  });

  it('gives no rows when none of its parts has any', () => {
    const { text } = composeStatement([{ ctes: ['a as (select 1)'], result: undefined, values: [] }]);
    assert.equal(text, 'with a as (select 1) select 1 where false');
  });
});
