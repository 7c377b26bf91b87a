import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTraceparent } from './traceparent.ts';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traceparent', () => {
  it('is taken over as it is, if it is valid', () => {
    for (const header of [VALID, VALID.replace('-01', '-00'), VALID.replace('00-', '01-')])
      assert.equal(readTraceparent(header), header);
  });

  it('is ignored if it is not', () => {
    const invalid = [
      undefined,
      '',
      [VALID, VALID],
      VALID.toUpperCase(),
      VALID.slice(0, -1),
      `${VALID} `,
      VALID.replace('00-', 'ff-'),
      VALID.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
      VALID.replace('b7ad6b7169203331', '0'.repeat(16)),
    ];
    for (const header of invalid) assert.equal(readTraceparent(header), undefined, String(header));
  });
});
