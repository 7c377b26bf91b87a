import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type Outcome, openReportFile } from './report-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'waypost-report-'));
after(() => rmSync(folder, { recursive: true }));

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a,b', '"', '""', ',accepted,', 'a\r\nb', 'é'));
const outcomes = fc.array(
  fc.record<Pick<Outcome, 'to' | 'status' | 'detail'>>({
    to: text,
    status: fc.constantFrom('accepted', 'failed', 'unknown'),
    detail: text,
  }),
  { minLength: 1, maxLength: 8 },
);

describe('a report file', () => {
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
        const oneLine = (cell: string) => cell.replace(/[\r\n]+/g, ' ');
        const read: string[][] = parse(whole, { from: 2 });
        assert.deepEqual(
          read.map((cells) => [cells[1], cells[2], cells[6]]),
          rows.map(({ to, status, detail = '' }) => [oneLine(to), status, oneLine(detail)]),
        );
      }),
    );
  });
});
