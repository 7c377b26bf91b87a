import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { it } from 'node:test';
import { welcome } from './welcome.ts';

const DEV = {
  ...{ base_url: 'http://127.0.0.1:8080', sandbox_url: null, console_url: '', account_id: '', test_key: 'wp_test_1' },
  ...{ platform_key: '', sandbox_app_secret: '' },
};
const hints = (dataDir: string) =>
  welcome(DEV, resolve(dataDir))
    .split('\n')
    .flatMap((line) => /^.*(?:npm run listen|npx waypost send).*$/.exec(line) ?? []);

it('the commands that a start tells of find its data folder, whichever it is', () => {
  const send = "npx waypost send --to +447700900123 --text 'Your parcel is here'";
  assert.deepEqual(hints('.waypost'), ['npm run listen', `Or from the command line: ${send}`]);
  assert.deepEqual(hints('/srv/way-point.d'), [
    'WAYPOST_DATA_DIR=/srv/way-point.d npm run listen',
    `Or from the command line: WAYPOST_DATA_DIR=/srv/way-point.d ${send}`,
  ]);
  assert.equal(hints("/srv/Ada's data")[0], `WAYPOST_DATA_DIR='/srv/Ada'\\''s data' npm run listen`);
});
