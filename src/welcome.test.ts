import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { DevFile } from './demo.ts';
import { welcome } from './welcome.ts';

const DEV: DevFile = {
  base_url: 'http://127.0.0.1:8080',
  sandbox_url: 'http://127.0.0.1:8081',
  console_url: 'http://127.0.0.1:8080/console',
  account_id: '018f0000-0000-7000-8000-000000000000',
  test_key: '<TEST_KEY>',
  platform_key: '<PLATFORM_KEY>',
  sandbox_app_secret: '<APP_SECRET>',
};
const hints = (dataDir: string) =>
  welcome(DEV, resolve(dataDir))
    .split('\n')
    .flatMap((line) => /^.*(?:npm run listen|npx waypost send).*$/.exec(line) ?? []);

describe('what a start tells a developer', () => {
  it('has a line to paste that sends', () => {
    assert.match(welcome(DEV, '.waypost'), /^curl -sS http:\/\/127\.0\.0\.1:8080\/api\/v1\/messages\/send /m);
  });

  it('has a line to paste whose address no shell takes for a pattern', () => {
    const urlAt = (base_url: string) => /^curl -sS (.*) \\$/m.exec(welcome({ ...DEV, base_url }, '.waypost'))?.[1];
    assert.equal(urlAt('http://[::1]:8080'), "'http://[::1]:8080/api/v1/messages/send'");
    assert.equal(urlAt("https://a.example/ada's"), "'https://a.example/ada'\\''s/api/v1/messages/send'");
  });

  it('has no line to paste where the test key cannot send', () => {
    const text = welcome({ ...DEV, sandbox_url: null }, '.waypost');
    assert.doesNotMatch(text, /curl|npx/);
    assert.match(text, /The sandbox is off/);
  });

  it('has commands that find its data folder, whichever it is', () => {
    const send = "npx waypost send --to +447700900123 --text 'Your parcel is here'";
    assert.deepEqual(hints('.waypost'), ['npm run listen', `Or from the command line: ${send}`]);
    assert.deepEqual(hints('/srv/way-point.d'), [
      'WAYPOST_DATA_DIR=/srv/way-point.d npm run listen',
      `Or from the command line: WAYPOST_DATA_DIR=/srv/way-point.d ${send}`,
    ]);
    assert.equal(hints("/srv/Ada's data")[0], `WAYPOST_DATA_DIR='/srv/Ada'\\''s data' npm run listen`);
  });
});
