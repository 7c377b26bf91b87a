import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startEmbedded } from './embedded.ts';

const isRoot = process.getuid?.() === 0;
const asRoot = {
  skip: (!isRoot || process.platform !== 'linux') && 'only root of Linux has this trouble',
  timeout: 120_000,
};
/** As containers do with their root by default. */
const WITHOUT_PTRACE = ['setpriv', '--bounding-set=-sys_ptrace'];

const SCRIPT = `
  import { startEmbedded } from ${JSON.stringify(new URL('embedded.ts', import.meta.url).href)};
  await startEmbedded({ dataDir: process.argv[1], log: { warn: console.log, error: console.log } });
  console.log('started');
  setInterval(() => {}, 60_000);`;

it(
  'the server of a killed gateway is taken over also by a root that may not look at processes of others, as in a container',
  asRoot,
  async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'waypost-orphan-'));
    t.after(() => rm(dataDir, { recursive: true }));
    await chmod(dataDir, 0o711);
    assert.match(await startAndKill(dataDir), /^started$/m);
    assert.match(
      await startAndKill(dataDir),
      /^Stopped a PostgreSQL that an earlier Waypost had left running\nstarted$/m,
    );
    await (await startEmbedded({ dataDir, log: { warn() {}, error() {} } })).stop();
  },
);

/** What a gateway has said when it has started its server, or could not. Then it is killed. */
async function startAndKill(dataDir: string): Promise<string> {
  const [program = '', ...args] = [
    ...WITHOUT_PTRACE,
    process.execPath,
    '--input-type=module',
    '--eval',
    SCRIPT,
    dataDir,
  ];
  const child = spawn(program, args);
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes('started\n')) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return said;
}
