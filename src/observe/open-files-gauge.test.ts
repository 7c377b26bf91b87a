import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';

/** Takes every file that it may open, beside one above the limit, and tells what the metrics say then, also once one is free again. */
const TAKE_ALL = `
  import { closeSync, openSync } from 'node:fs';
  import { createMetrics } from '${join(import.meta.dirname, 'metrics.ts')}';
  const metrics = createMetrics();
  const tell = async () => console.log((await metrics.render()).text.match(/^waypost_open_files_ratio (.*)$/m)?.[1]);
  await tell();
  let last;
  try {
    for (;;) last = openSync('/dev/null');
  } catch {}
  await tell();
  closeSync(last);
  await tell();`;

it('tells that no file is left, although counting them needs one', { skip: process.platform !== 'linux' }, () => {
  const script = 'exec 250</dev/null; ulimit -n 200; exec "$0" --input-type=module -e "$1"';
  const told = execFileSync('bash', ['-c', script, process.execPath, TAKE_ALL], { encoding: 'utf8' });
  const [before, ...then] = told.trim().split('\n').map(Number);
  assert.ok(before !== undefined && before > 0 && before < 0.8, `${before}`);
  assert.deepEqual(then, [1, 1]);
});
