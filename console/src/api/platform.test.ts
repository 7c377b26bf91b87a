import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mintedKey } from './platform.ts';

it('a key that is shown once is read, whatever else its answer has', () => {
  assert.equal(mintedKey({ key: 'wp_test_any', other: 1 }).key, 'wp_test_any');
});
