import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';

/** Takes every file that it may open, and tells what the metrics say then. */
const TAKE_ALL = `
  import { openSync } from 'node:fs';
  import { createMetrics } from '${join(import.meta.dirname, 'metrics.ts')}';
  const metrics = createMetrics();
  const tell = async () => console.log((await metrics.render()).text.match(/^waypost_open_files_ratio (.*)$/m)?.[1]);
  await tell();
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  await tell();`;

it('tells that no file is left, although counting them needs one', { skip: process.platform !== 'linux' }, () => {
  const args = ['-c', 'ulimit -n 200; exec "$0" --input-type=module -e "$1"', process.execPath, TAKE_ALL];
  const [before, then] = execFileSync('sh', args, { encoding: 'utf8' }).trim().split('\n').map(Number);
  assert.ok(before !== undefined && before > 0 && before < 0.8, `${before}`);
  assert.equal(then, 1);
});
