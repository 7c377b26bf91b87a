import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeSettings } from './config-print.ts';
import { SETTINGS } from './settings.ts';

describe('describeSettings', () => {
  it('names every setting with the value that counts', () => {
    const table = describeSettings({ PORT: '9000' });
    for (const { name } of SETTINGS) assert.match(table, new RegExp(`^${name} `, 'm'));
    assert.match(table, /^PORT +9000 +8080 /m);
    assert.match(table, /^HOST +127\.0\.0\.1 +127\.0\.0\.1 /m);
  });

  it('tells that a secret is given, and never shows it', () => {
    for (const { name, kind } of SETTINGS) {
      if (kind !== 'secret' && kind !== 'secrets') continue;
      const table = describeSettings({ [name]: 'postgres://user:hidden-word@host/x' });
      assert.doesNotMatch(table, /hidden-word/);
      assert.match(table, new RegExp(`^${name} +given `, 'm'));
    }
  });

  it('tells what production misses, and what would be made elsewhere', () => {
    assert.match(describeSettings({ NODE_ENV: 'production' }), /^WAYPOST_MASTER_KEY +missing /m);
    assert.match(describeSettings({}), /^WAYPOST_MASTER_KEY +made at the first start /m);
  });
});
