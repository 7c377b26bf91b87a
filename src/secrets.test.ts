import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfig } from './config.ts';
import { completeSecrets, writePrivateJson } from './secrets.ts';

const STARTERS = 4;
const MOMENTS = 10;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-secrets-'));
});
after(() => rm(folder, { recursive: true }));

describe('secrets', () => {
  it('that are missing are made once and kept', () => {
    const config = loadConfig({ WAYPOST_DATA_DIR: join(folder, 'once', 'deeper') });
    const made = completeSecrets(config);
    assert.equal(made.masterKey.length, 32);
    assert.match(made.platformKeys.join(), /^wp_root_[A-Za-z0-9]{32,}$/);
    assert.equal(new Set([...made.appSecrets, ...made.verifyTokens, made.sandboxAppSecret]).size, 3);
    assert.deepEqual(completeSecrets(config), made);
  });

  it('are kept where only their owner can read them, and nothing else is left behind', async () => {
    const dataDir = join(folder, 'private');
    completeSecrets(loadConfig({ WAYPOST_DATA_DIR: dataDir }));
    assert.deepEqual(await readdir(dataDir), ['secrets.json']);
    assert.equal((await stat(join(dataDir, 'secrets.json'))).mode & 0o777, 0o600);
  });

  it('that the settings give are used and not kept', async () => {
    const dataDir = join(folder, 'given');
    const given = { WAYPOST_APP_SECRETS: 'one,two', WAYPOST_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    const secrets = completeSecrets(loadConfig({ WAYPOST_DATA_DIR: dataDir, ...given }));
    assert.deepEqual(secrets.appSecrets, ['one', 'two']);
    assert.deepEqual(secrets.masterKey, Buffer.alloc(32, 1));
    const kept = await readFile(join(dataDir, 'secrets.json'), 'utf8');
    assert.deepEqual(Object.keys(JSON.parse(kept)).toSorted(), ['platform_key', 'sandbox_app_secret', 'verify_token']);
    const later = completeSecrets(loadConfig({ WAYPOST_DATA_DIR: dataDir }));
    assert.deepEqual(later.platformKeys, secrets.platformKeys, 'what was made before stays');
    assert.notDeepEqual(later.masterKey, secrets.masterKey, 'what was given before was never kept');
  });

  it('of the sandbox are never those of the provider, wherever they come from', () => {
    const start = (dataDir: string, given: Record<string, string>) =>
      completeSecrets(loadConfig({ WAYPOST_DATA_DIR: join(folder, dataDir), ...given }));
    const { appSecrets, sandboxAppSecret } = start('kept', {});
    for (const [dataDir, given, secret] of [
      ['given', { WAYPOST_APP_SECRETS: 'current,former', WAYPOST_SANDBOX_APP_SECRET: 'former' }, 'former'],
      ['kept', { WAYPOST_APP_SECRETS: `current,${sandboxAppSecret}` }, sandboxAppSecret],
      ['kept', { WAYPOST_SANDBOX_APP_SECRET: appSecrets[0] ?? '' }, appSecrets[0] ?? ''],
    ] as const)
      assert.throws(
        () => start(dataDir, given),
        ({ message }: Error) => /WAYPOST_SANDBOX_APP_SECRET/.test(message) && !message.includes(secret),
      );
    const own = start('given', { WAYPOST_APP_SECRETS: 'current,former', WAYPOST_SANDBOX_APP_SECRET: 'own' });
    assert.equal(own.sandboxAppSecret, 'own');
  });

  it('that cannot be read are told in a sentence that names the file and none of them', async () => {
    const dataDir = join(folder, 'broken');
    await mkdir(dataDir);
    for (const text of [
      '',
      '{ "app_secret": hidden-word }',
      '{ "app_secret": "hidden-word" "verify_token": "b" }',
      '["hidden-word"]',
      '{ "app_secret": 5, "verify_token": "hidden-word" }',
      '{ "app_secret": "", "verify_token": "hidden-word" }',
      '{ "master_key": "hidden-word" }',
      '{ "platform_key": "hidden-word" }',
    ]) {
      await writeFile(join(dataDir, 'secrets.json'), text);
      assert.throws(
        () => completeSecrets(loadConfig({ WAYPOST_DATA_DIR: dataDir })),
        ({ name, message }: Error) =>
          name === 'Error' && /broken.secrets\.json/.test(message) && !/hidden|\n/.test(message),
        text,
      );
      assert.equal(await readFile(join(dataDir, 'secrets.json'), 'utf8'), text, 'nothing is written over them');
    }
  });

  it('are not waited for where a link in their place leads nowhere', async () => {
    const dataDir = join(folder, 'astray');
    await mkdir(dataDir);
    await symlink(join(folder, 'nowhere'), join(dataDir, 'secrets.json'));
    const config = loadConfig({ WAYPOST_DATA_DIR: dataDir });
    assert.throws(() => completeSecrets(config), /astray\/secrets\.json is there and cannot be read: a link/);
    assert.deepEqual(await readdir(dataDir), ['secrets.json']);
  });

  it('that cannot be kept are told in a sentence that names the setting', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const dataDir of [file, join(file, 'deeper')])
      assert.throws(
        () => completeSecrets(loadConfig({ WAYPOST_DATA_DIR: dataDir })),
        ({ name, message }: Error) => name === 'Error' && message.startsWith(`WAYPOST_DATA_DIR`) && !/\n/.test(message),
      );
    // As on a full disk, the draft is there and the file is not.
    const dataDir = join(folder, 'taken');
    await mkdir(join(dataDir, 'dev.json'), { recursive: true });
    assert.throws(
      () => writePrivateJson(join(dataDir, 'dev.json'), {}),
      /^Error: WAYPOST_DATA_DIR must be .*dev\.json/,
    );
    assert.deepEqual(await readdir(dataDir), ['dev.json'], 'no draft is left, which would hold secrets');
  });

  it('are the same for processes that start at the same time', async () => {
    const dataDirs = Array.from({ length: MOMENTS }, (_, moment) => join(folder, `together-${moment}`));
    const printed = await Promise.all(Array.from({ length: STARTERS }, () => printSecrets(dataDirs)));
    assert.equal(new Set(printed).size, 1);
    for (const dataDir of dataDirs) assert.deepEqual(await readdir(dataDir), ['secrets.json']);
  });
});

/** Completes the secrets of each folder in a process of its own, which waits for a common moment before each. */
async function printSecrets(dataDirs: string[]): Promise<string> {
  const here = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const program = `
    import { loadConfig } from ${here('config.ts')};
    import { completeSecrets } from ${here('secrets.ts')};
    let atMs = Math.ceil((Date.now() + 5) / 1_000) * 1_000;
    for (const dataDir of ${JSON.stringify(dataDirs)}) {
      const config = loadConfig({ WAYPOST_DATA_DIR: dataDir });
      // All but the end of it at rest: a busy wait would hold up the others.
      await new Promise((resolve) => setTimeout(resolve, atMs - 5 - Date.now()));
      while (Date.now() < atMs);
      console.log(JSON.stringify(completeSecrets(config)));
      atMs += 50;
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', program]);
  return stdout;
}
