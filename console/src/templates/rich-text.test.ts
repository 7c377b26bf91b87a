import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { readRichText } from './rich-text.ts';

it('signs around a text mark it, signs within a word do not', () => {
  const read = (text: string) => readRichText(text).map(({ text: run, marks }) => `${run}|${marks.join('+')}`);
  assert.deepEqual(read('a *b _c_* d'), ['a |', 'b |bold', 'c|bold+italic', ' d|']);
  assert.deepEqual(read('2*3*4 snake_case_name * x *'), ['2*3*4 snake_case_name * x *|']);
  assert.deepEqual(read('```*no*``` {{1}}'), ['*no*|code', ' |', '{{1}}|variable']);
});

it('nothing but the signs is ever lost', () => {
  const piece = fc.constantFrom('a', ' ', '*', '_', '~', '```', '{{1}}', '\n', 'é');
  const plain = (text: string) => text.replace(/[*_~`]/g, '');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      assert.equal(
        plain(
          readRichText(text)
            .map((run) => run.text)
            .join(''),
        ),
        plain(text),
      );
    }),
  );
});

it('a person may write as much as they like: it is read in a moment', () => {
  for (const piece of ['*.*', ' *x', '_.*~', '```', '*a', '{{', ' *_~x'])
    assert.ok(processorMs(() => readRichText(piece.repeat(40_000))) < 2_000, piece);
});

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}
