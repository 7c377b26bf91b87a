import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintApiKey } from '../../src/accounts/api-key.ts';
import { read } from '../support/tree.ts';

describe('the expressions for secret scanners', () => {
  it('find every key in a text, and nothing that only begins like one', () => {
    const published = read('docs/platform.md').match(/^\\bwp_.*$/gm) ?? [];
    assert.equal(published.length, 2);
    const find = (text: string) => published.flatMap((source) => text.match(new RegExp(source, 'g')) ?? []);
    for (const mode of ['live', 'test'] as const) {
      const key = mintApiKey(mode);
      assert.deepEqual(find(`KEY="${key}", and so on`), [key]);
      assert.deepEqual(find(`${key}x x${key} ${key.slice(0, -1)} wp_other_${'a'.repeat(36)}`), []);
    }
    const root = `wp_root_${'a1B2'.repeat(8)}`;
    assert.deepEqual(find(`export WAYPOST_PLATFORM_KEYS=${root}\n`), [root]);
  });
});
