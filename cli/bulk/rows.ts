import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usage } from '../failure.ts';
import { type Pieces, readSteady } from './steady-file.ts';

export interface Row {
  /** The row's number as a spreadsheet shows it: the header is row 1. */
  number: number;
  /** The cells, by the names of their columns. */
  cells: ReadonlyMap<string, string>;
  /** Set if the row has another number of cells than the header. */
  fault: string | undefined;
}

/**
 * The rows of a CSV file, one after the other, without the empty ones. Throws if the file as a whole is wrong, or if it is no longer what
 * its pieces say.
 */
export async function* readRows(path: string, delimiter: string, pieces: Pieces): AsyncGenerator<Row> {
  const parser = parse({ bom: true, delimiter, record_delimiter: LINE_ENDS, relax_column_count: true });
  // The callback has nothing to do, because errors come out of the loop below.
  const records = pipeline(Readable.from(readSteady(path, pieces)), parser, () => {});
  let columns: string[] | undefined;
  let number = 0;
  try {
    for await (const record of records) {
      const cells = readCells(record);
      number += 1;
      if (columns === undefined) columns = readHeader(cells, delimiter);
      else if (cells.some((cell) => cell.trim() !== '')) yield readRow(number, columns, cells);
    }
  } catch (error) {
    throw error instanceof CsvError ? usage(`${path} is not a CSV file: ${error.message}`) : error;
  }
  if (columns === undefined) throw usage(`${path} is empty. ${HEADER_ADVICE}`);
}

/**
 * All are named, because by itself the parser takes the first line end that it meets for the only kind. The others would then be parts of
 * cells.
 */
const LINE_ENDS = ['\r\n', '\n', '\r'];
const HEADER_ADVICE = 'Its first line must name the columns, and one of them must be "to".';

function readHeader(cells: readonly string[], delimiter: string): string[] {
  const columns = cells.map((cell) => cell.trim());
  if (!columns.includes('to')) {
    const other = [';', '\t', ','].find((mark) => mark !== delimiter && columns.join().split(mark).includes('to'));
    // A tab would be shown as a space, which is another delimiter.
    const written = other === '\t' ? '\\t' : other;
    const advice =
      written === undefined ? '' : ` Are the columns separated by another character? Try --delimiter '${written}'.`;
    throw usage(
      `The first line has no column "to", but: ${columns.join(', ').slice(0, 200)}. ${HEADER_ADVICE}${advice}`,
    );
  }
  const twice = columns.find((column, place) => column !== '' && columns.indexOf(column) !== place);
  if (twice !== undefined) throw usage(`The column "${twice}" is there twice.`);
  return columns;
}

function readRow(number: number, columns: readonly string[], cells: readonly string[]): Row {
  const fits = cells.length === columns.length;
  return {
    number,
    cells: new Map(columns.map((column, place) => [column, cells[place] ?? ''])),
    fault: fits ? undefined : `It has ${cells.length} cells, and the header ${columns.length}`,
  };
}

function readCells(record: unknown): string[] {
  return Array.isArray(record) ? record.map(String) : [];
}
