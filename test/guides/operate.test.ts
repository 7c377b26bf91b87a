import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const GUIDE = new URL('../../docs/guides/operate.md', import.meta.url);

let gateway: TestGateway;
let folder: string;
before(async () => {
  gateway = await startTestGateway({ callback: true });
  folder = await mkdtemp(join(tmpdir(), 'waypost-guide-'));
  await mkdir(join(folder, '.waypost'));
  const dev = { base_url: gateway.url, platform_key: gateway.platformKey };
  await writeFile(join(folder, '.waypost/dev.json'), JSON.stringify(dev));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

describe('the guide to operating', () => {
  it('can be pasted from its first line to its last', async () => {
    const { code, output, faults } = await paste(await readFile(GUIDE, 'utf8'));
    assert.deepEqual([code, faults], [0, ''], output);
    const codes = [...output.matchAll(/"code":"(\w+)"/g)].map(([, word]) => word);
    assert.deepEqual(codes, ['invalid_api_key', 'channel_refused', 'account_suspended', 'not_found'], output);
    assert.equal(output.match(/"accepted_count":1/g)?.length, 2);
    assert.ok(!output.includes(gateway.platformKey));
  });
});

/** Runs all blocks of shell lines in one shell, as a reader does who pastes them one after another. */
async function paste(guide: string): Promise<{ code: number; output: string; faults: string }> {
  const script = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env: { PATH: path } });
  let output = '';
  let faults = '';
  shell.stdout.on('data', (chunk) => (output += chunk));
  shell.stderr.on('data', (chunk) => (faults += chunk));
  shell.stdin.end(script);
  const [code] = await once(shell, 'close');
  return { code, output, faults };
}
