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
      const inFile = describeSettings({ [`${name}_FILE`]: '/run/secrets/hidden-word' });
      assert.doesNotMatch(inFile, /hidden-word/);
      assert.match(inFile, new RegExp(`^${name} +given `, 'm'));
    }
  });

  it('shows an address without the password that stands in it', () => {
    const names = ['WAYPOST_PUBLIC_URL', 'WAYPOST_PROVIDER_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
    for (const name of names) {
      const table = describeSettings({ [name]: 'https://user:hidden-word@collector.example:4318/x@y' });
      assert.doesNotMatch(table, /hidden-word|user:/);
      assert.match(table, new RegExp(`^${name} +https://\\*\\*\\*@collector\\.example:4318/x@y `, 'm'));
    }
  });

  it('tells what production misses, and what would be made elsewhere', () => {
    assert.match(describeSettings({ NODE_ENV: 'production' }), /^WAYPOST_MASTER_KEY +missing /m);
    assert.match(describeSettings({}), /^WAYPOST_MASTER_KEY +made at the first start /m);
  });
});
