import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeStatus } from './statuses.ts';

describe('a status', () => {
  it('means what it is a status of', () => {
    assert.match(describeStatus('pending').meaning, /nothing was transmitted/);
    assert.match(describeStatus('pending', 'template').meaning, /provider has not decided/);
    assert.match(describeStatus('failed').meaning, /not sent, or could not be delivered/);
    assert.match(describeStatus('failed', 'attempt').meaning, /endpoint/);
    assert.equal(describeStatus('read', 'template').meaning, '');
  });
});
