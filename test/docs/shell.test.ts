import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../support/tree.ts';
import { blocksOf, PAGES } from './blocks.ts';

/** Text that a shell takes as it is: in quotes, or after a backslash. */
const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gs;

describe('the shell lines of the pages', () => {
  it('can be pasted into zsh, which has no comments there and stops at a pattern that no file fits', () => {
    let lines = 0;
    const wrong = [...PAGES, 'client/README.md'].flatMap((page) =>
      blocksOf(page, 'sh').flatMap((block) => {
        const bare = block.replace(QUOTED, "''").split('\n');
        lines += bare.length;
        return bare.filter((line) => /(^|\s)#|[[?*]/.test(line)).map((line) => `${page}: ${line}`);
      }),
    );
    assert.deepEqual(wrong, []);
    assert.ok(lines > 100, `${lines} were found`);
  });

  it('send once at most in each block, because who tries one out pastes the whole of it', () => {
    const sends = [...PAGES, 'client/README.md'].flatMap((page) =>
      blocksOf(page, 'sh').map((block) => ({
        page,
        block,
        count: block.match(/waypost send |messages\/send/g)?.length ?? 0,
      })),
    );
    assert.deepEqual(
      sends.filter(({ count }) => count > 1),
      [],
    );
    assert.ok(sends.some(({ count }) => count === 1));
  });

  it('name a test by words that it has: by others none runs, and that looks as if all was well', () => {
    const named = PAGES.flatMap((page) =>
      blocksOf(page, 'sh').flatMap((block) => [...block.matchAll(/--test-name-pattern='([^']+)' (\S+)/g)]),
    );
    assert.ok(named.length > 0);
    for (const [line, words = '', file = ''] of named)
      assert.match(read(file), new RegExp(`(describe|it)\\('[^']*${words}`), line);
  });
});
