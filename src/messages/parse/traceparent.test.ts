import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTraceparent } from './traceparent.ts';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traceparent', () => {
  it('is taken over as it is, if it is valid', () => {
    for (const header of [VALID, VALID.replace('-01', '-00')]) assert.equal(readTraceparent(header), header);
  });

  it('goes on without the flags that have no meaning yet', () => {
    assert.equal(readTraceparent(VALID.replace('-01', '-ff')), VALID.replace('-01', '-03'));
    assert.equal(readTraceparent(VALID.replace('-01', '-f8')), VALID.replace('-01', '-00'));
  });

  it('of a later version is read as far as it is known, and goes on as ours', () => {
    const later = VALID.replace('00-', 'cc-');
    for (const header of [later, `${later}-what-comes`, `${later}-`]) assert.equal(readTraceparent(header), VALID);
  });

  it('is ignored if it is not', () => {
    const invalid = [
      undefined,
      '',
      [VALID, VALID],
      VALID.toUpperCase(),
      VALID.slice(0, -1),
      `${VALID} `,
      `${VALID}-more`,
      `${VALID.replace('00-', 'cc-')}.more`,
      VALID.replace('00-', 'ff-'),
      VALID.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
      VALID.replace('b7ad6b7169203331', '0'.repeat(16)),
    ];
    for (const header of invalid) assert.equal(readTraceparent(header), undefined, String(header));
  });
});
