import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readSettings } from './settings.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-sandbox-settings-'));
});
after(() => rm(folder, { recursive: true }));

describe('the settings of the sandbox', () => {
  it('count as not given where they are empty or blank', async () => {
    for (const blank of ['', ' ', '\r'])
      assert.deepEqual(
        await readSettings({
          WAYPOST_DATA_DIR: folder,
          WAYPOST_SANDBOX_PORT: blank,
          WAYPOST_SANDBOX_APP_SECRET: blank,
          WAYPOST_SANDBOX_APP_SECRET_FILE: blank,
          WAYPOST_CALLBACK_URL: blank,
          WAYPOST_SANDBOX_LATENCY_MS: blank,
          WAYPOST_SANDBOX_STATUSES: blank,
        }),
        await readSettings({ WAYPOST_DATA_DIR: folder }),
      );
  });

  it('may stand in a file whose lines end as on Windows', async () => {
    const file = join(folder, 'app-secret');
    await writeFile(file, 'the-secret\r\n');
    const others = {
      WAYPOST_SANDBOX_PORT: '9081\r',
      WAYPOST_CALLBACK_URL: 'http://127.0.0.1:9/callback\r',
      WAYPOST_SANDBOX_LATENCY_MS: ' 7 ',
      WAYPOST_SANDBOX_STATUSES: 'off\r',
    };
    const expected = {
      port: 9_081,
      appSecret: 'the-secret',
      callbackUrls: ['http://127.0.0.1:9/callback'],
      latencyMs: 7,
      statuses: 'off',
    };
    assert.deepEqual(await readSettings({ ...others, WAYPOST_SANDBOX_APP_SECRET: 'the-secret\r' }), expected);
    assert.deepEqual(await readSettings({ ...others, WAYPOST_SANDBOX_APP_SECRET_FILE: `${file}\r` }), expected);
  });

  it('name the data folder without the end of a line', async () => {
    const dataDir = join(folder, 'data');
    await readSettings({ WAYPOST_DATA_DIR: `${dataDir}\r` });
    assert.deepEqual(await readdir(dataDir), ['secrets.json']);
  });

  const onLinux = { skip: process.platform !== 'linux' && 'only Linux has a device that is full' };
  it('leave no draft of the secrets behind on a full disk, and name the folder', onLinux, async () => {
    const dataDir = join(folder, 'full');
    await mkdir(dataDir);
    await symlink('/dev/full', join(dataDir, `secrets.json.${process.pid}`));
    const full = /^Error: WAYPOST_DATA_DIR must be a folder that can be written to: ENOSPC/;
    await assert.rejects(readSettings({ WAYPOST_DATA_DIR: dataDir }), full);
    assert.deepEqual(await readdir(dataDir), []);
  });

  it('take no file with nothing in it for the secret: the gateway would have another one', async () => {
    const file = join(folder, 'empty');
    for (const nothing of ['', ' \n\n']) {
      await writeFile(file, nothing);
      await assert.rejects(readSettings({ WAYPOST_SANDBOX_APP_SECRET_FILE: file }), {
        message: 'WAYPOST_SANDBOX_APP_SECRET_FILE must be the path of a file with a value in it, and that is empty.',
      });
    }
  });

  it('do not give the secret twice, once as it is and once in a file, and it is not told', async () => {
    const both = {
      WAYPOST_SANDBOX_APP_SECRET: 'hidden-word',
      WAYPOST_SANDBOX_APP_SECRET_FILE: join(folder, 'missing'),
    };
    await assert.rejects(readSettings(both), {
      message:
        'WAYPOST_SANDBOX_APP_SECRET and WAYPOST_SANDBOX_APP_SECRET_FILE are both given, and only one of them can count.',
    });
  });
});
