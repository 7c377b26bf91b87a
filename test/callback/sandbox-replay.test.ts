import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { lineOf, listNotifications, messagesBody, textFrom } from '../support/notifications.ts';
import { PROGRAM_ENV } from '../support/program-env.ts';
import { until } from '../support/until.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/sandbox-replay.ts', import.meta.url));

describe('npm run sandbox:replay', () => {
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    gateway = await startTestGateway();
    folder = await mkdtemp(join(tmpdir(), 'waypost-replay-'));
    await writeDev(folder, gateway.url);
    const text = messagesBody(await lineOf(gateway), { messages: [textFrom('+447700900123', 'wamid.replayed')] });
    await mkdir(join(folder, 'inner', 'most'), { recursive: true });
    await writeFile(join(folder, 'inner', 'text.json'), JSON.stringify(text, undefined, 2));
    await writeFile(join(folder, 'inner', 'most', 'unknown.json'), '{"é": "\\/"}\n');
    await writeFile(join(folder, 'inner', 'text.expected.json'), '{"facts": []}');
    await writeFile(join(folder, 'inner', 'notes.md'), '# Not a notification');
    await writeFile(join(folder, 'broken.json'), '{');
  });
  after(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const writeDev = (dir: string, baseUrl: string) =>
    writeFile(
      join(dir, 'dev.json'),
      JSON.stringify({ base_url: baseUrl, sandbox_app_secret: gateway.secrets.sandboxAppSecret }),
    );
  const replay = (...args: string[]) =>
    new Promise<{ code: number | string; out: string; err: string }>((resolve) => {
      execFile(process.execPath, [SCRIPT, ...args], { env: PROGRAM_ENV }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });

  it('posts files and folders byte for byte, and the gateway applies them', async () => {
    const { code, out } = await replay('--data-dir', folder, join(folder, 'inner'));
    assert.equal(code, 0);
    assert.deepEqual(
      out.split('\n').filter((text) => text !== ''),
      [
        `200  ${join(folder, 'inner', 'most', 'unknown.json')}`,
        `200  ${join(folder, 'inner', 'text.json')}`,
        `2 of 2 acknowledged by ${gateway.url}`,
        '1 that end in .expected.json were not posted',
      ],
    );
    await until(
      async () => (await gateway.call('GET', '/api/v1/messages?message_id=wamid.replayed')).json.data.length === 1,
    );
    await until(async () => (await listNotifications(gateway, '&state=set_aside')).length === 1);
  });

  it('says of each file that it could not post why, posts the others and ends with 1', async () => {
    const { code, out } = await replay(
      '--data-dir',
      folder,
      join(folder, 'missing.json'),
      join(folder, 'broken.json'),
      join(folder, 'inner', 'text.json'),
    );
    assert.equal(code, 1);
    assert.match(out, /This file cannot be read: {2}.*missing\.json/);
    assert.match(out, /This file is not JSON: {2}.*broken\.json/);
    assert.match(out, /200 {2}.*text\.json/);
    assert.match(out, /1 of 3 acknowledged/);
  });

  it('says in a sentence what is missing', async () => {
    const nowhere = join(folder, 'nowhere');
    await mkdir(nowhere);
    const file = join(folder, 'inner', 'text.json');
    const noDev = await replay('--data-dir', nowhere, file);
    assert.deepEqual([noDev.code, noDev.out], [1, '']);
    assert.match(noDev.err, /^There is no .*dev\.json\. Start the gateway .* name its folder by --data-dir\.$/m);

    await writeDev(nowhere, 'http://127.0.0.1:1');
    const noGateway = await replay('--data-dir', nowhere, file);
    assert.equal(noGateway.code, 1);
    assert.equal(noGateway.err, 'No gateway answers at http://127.0.0.1:1. Start it with "npm start".\n');

    const noFile = await replay('--data-dir', folder);
    assert.equal(noFile.code, 2);
    assert.match(noFile.err, /^Name at least one file \(add --help/);
    const noOption = await replay('--no-such-option');
    assert.equal(noOption.code, 2);
    assert.match(noOption.err, /^Unknown option.*--help/);
  });

  it('tells with --help how it is used', async () => {
    const { code, out } = await replay('--help');
    assert.equal(code, 0);
    assert.match(out, /Example: npm run sandbox:replay -- \S+\.json/);
  });
});
