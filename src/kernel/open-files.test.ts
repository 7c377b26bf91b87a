import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

const FILE = JSON.stringify(new URL('open-files.ts', import.meta.url));
const PRINT = `import(${FILE}).then((file) => console.log(file.openFilesMax()))`;

it('a process knows how many files it may have open', {
  skip: process.platform !== 'linux' && 'only Linux tells it',
}, () => {
  const line = 'ulimit -n 300 && exec "$0" --eval "$1"';
  const { stdout, stderr } = spawnSync('sh', ['-c', line, process.execPath, PRINT], { encoding: 'utf8' });
  assert.equal(stdout, '300\n', stderr);
});
