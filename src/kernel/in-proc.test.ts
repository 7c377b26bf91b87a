import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { isInProc } from './in-proc.ts';

const onLinux = { skip: process.platform !== 'linux' && 'only Linux shows processes as files' };

it('knows what is in /proc, also by a link and before it is made', onLinux, (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'waypost-proc-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  symlinkSync('/proc', join(dir, 'link'));
  for (const inside of ['/proc', '/proc/waypost', '/proc/a/b', join(dir, 'link'), join(dir, 'link/waypost/a')])
    assert.equal(isInProc(inside), true, inside);
  for (const outside of [dir, join(dir, 'a/b'), '/procedures', '/', join('/proc/self/cwd', 'waypost')])
    assert.equal(isInProc(outside), false, outside);
});
