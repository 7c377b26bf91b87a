import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findBinaryParameters } from './binary-parameters.ts';

describe('the arrays that a statement takes in bytes', () => {
  it('are those of ids, times, bytes and JSON, wherever they stand in it', () => {
    const sql = `select from unnest($1::uuid[], $2::text[], $12::timestamptz[]) as t, any($1::uuid[]), any($1)
      where a = $3::uuid or b = any($4::jsonb[]) or c = any($5::bytea[])`;
    assert.deepEqual(Object.fromEntries(findBinaryParameters(sql)), {
      1: 'uuid',
      4: 'jsonb',
      5: 'bytea',
      12: 'timestamptz',
    });
  });

  it('are not those whose type another cast may have given', () => {
    for (const sql of ['$1::text[]::uuid[]', 'select $1::uuid[], $1::text[]', 'select $1::text, $1::uuid[]', '$1'])
      assert.deepEqual([...findBinaryParameters(sql)], []);
  });
});
