import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { usage } from '../failure.ts';
import { type Pieces, readSteady } from './steady-file.ts';

export interface Row {
  /** As a spreadsheet numbers it: the header is row 1. */
  number: number;
  /** By the names of the columns. */
  cells: ReadonlyMap<string, string>;
  /** The row has another number of cells than the header. */
  fault: string | undefined;
}

/**
 * The rows of a CSV file, one after the other, without the empty ones. What is wrong with the whole file throws, and that it
 * is not any more what its pieces say.
 */
export async function* readRows(path: string, delimiter: string, pieces: Pieces): AsyncGenerator<Row> {
  const parser = parse({ bom: true, delimiter, record_delimiter: LINE_ENDS, relax_column_count: true });
  // Errors come out of the loop below, which is why nothing is to be done with them here.
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

/** Named, because the parser would take the first one that it meets for the only one: the others were part of a cell. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
const HEADER_ADVICE = 'Its first line must name the columns, and one of them must be "to".';

function readHeader(cells: readonly string[], delimiter: string): string[] {
  const columns = cells.map((cell) => cell.trim());
  if (!columns.includes('to')) {
    const other = [';', '\t', ','].find((mark) => mark !== delimiter && columns.join().split(mark).includes('to'));
    const advice =
      other === undefined ? '' : ` Are the columns separated by another character? Try --delimiter '${other}'.`;
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
