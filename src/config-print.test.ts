import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from './config.ts';
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

  it('calls missing what production stops for, and nothing else', () => {
    const environment = { NODE_ENV: 'production' };
    const told = namesTold(describeSettings(environment), 'missing');
    const faults = told.map((name) => `  - ${name} is missing, which production needs`).toSorted();
    assert.throws(
      () => loadConfig(environment),
      ({ message }: Error) => {
        assert.deepEqual(message.split('\n').slice(1).toSorted(), faults);
        return true;
      },
    );
  });

  it('says of the secrets that a start makes that they are made, and of no others', () => {
    const made = ['APP_SECRETS', 'VERIFY_TOKENS', 'PLATFORM_KEYS', 'MASTER_KEY', 'SANDBOX_APP_SECRET'];
    assert.deepEqual(
      namesTold(describeSettings({}), 'made at the first start').toSorted(),
      made.map((name) => `WAYPOST_${name}`).toSorted(),
    );
  });
});

/** The settings that have these words for a value. */
function namesTold(table: string, words: string): string[] {
  return [...table.matchAll(/^(\w+) +(.+?) {2}/gm)].flatMap(([, name = '', value]) => (value === words ? [name] : []));
}
