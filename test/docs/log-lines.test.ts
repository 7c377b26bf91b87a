import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { glob, read } from '../support/tree.ts';

/** A call that writes a line, with the word of the line, which is its last argument. */
const LINE = /\blog\.(?:debug|info|warn|error|fatal)\([^;]*?'([a-z_]+\.[a-z_]+)',?\s*\)/g;
/** The first column of a row of the table of lines. */
const ROW = /^\| (`[a-z_.`, ]+`) \|/gm;
const WORD = /`([a-z_]+\.[a-z_]+)`/g;

const SOURCES = glob('src/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
const [, LOGS = ''] = read('docs/guides/monitoring.md').split(/^## (?:Logs|Traces)$/m);
const TOLD = groupsOf(ROW, LOGS).flatMap((words) => groupsOf(WORD, words));

describe('the table of lines of the log', () => {
  it('has every line that the gateway writes', () => {
    const written = SOURCES.flatMap((path) => groupsOf(LINE, read(path)));
    assert.ok(written.length > 0);
    assert.deepEqual(
      written.filter((word) => !TOLD.includes(word)),
      [],
    );
  });

  it('has no line that it does not write', () => {
    const source = SOURCES.map(read).join('');
    assert.deepEqual(
      TOLD.filter((word) => !source.includes(`'${word}'`)),
      [],
    );
  });
});

function groupsOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, group]) => group ?? []);
}
