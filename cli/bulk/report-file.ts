import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
} from 'node:fs';
import { usage } from '../failure.ts';
import { messageOf } from '../message-of.ts';
import { printable } from '../table.ts';

/** What became of one row, as the report shows it. */
export interface Outcome {
  row: number;
  to: string;
  status: 'accepted' | 'failed' | 'unknown';
  id?: string | undefined;
  message_id?: string | undefined;
  code?: string | undefined;
  detail?: string | undefined;
}

export type Totals = Record<Outcome['status'], number>;

export interface ReportFile {
  /** How many rows of the file the report has. They are always the first ones, in order. */
  rows(): number;
  totals: Totals;
  append(outcomes: readonly Outcome[]): void;
  /** Returns once everything that was written would survive a crash of the machine. */
  sync(): void;
  close(): void;
}

const COLUMNS = ['row', 'to', 'status', 'id', 'message_id', 'code', 'detail'] as const;
const HEADER = `${COLUMNS.join(',')}\n`;

/**
 * Opens a report to go on with it, or begins a new one. `claim` is called with the number of its rows before anything is changed, and what it
 * returns comes back as `claimed`. A line that a crash has cut short is removed, and its row is sent again under the same key.
 */
export async function openReportFile<Claimed>(
  path: string,
  claim: (rows: number) => Claimed,
): Promise<ReportFile & { claimed: Claimed }> {
  const { bytes, totals } = await readKept(path);
  const claimed = claim(sumOf(totals));
  const fd = openFile(path);
  ftruncateSync(fd, bytes);
  if (bytes === 0) appendFileSync(fd, HEADER);
  return {
    claimed,
    totals,
    rows: () => sumOf(totals),
    append(outcomes) {
      appendFileSync(fd, outcomes.map(formatLine).join(''));
      for (const { status } of outcomes) totals[status] += 1;
    },
    sync: () => fdatasyncSync(fd),
    close: () => closeSync(fd),
  };
}

function sumOf({ accepted, failed, unknown }: Totals): number {
  return accepted + failed + unknown;
}

function openFile(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw usage(`The report ${path} cannot be written: ${messageOf(error)}`);
  }
}

/** Each row is written as one line, so whole lines are whole rows. Nothing, if the report is not there. */
async function readKept(path: string): Promise<{ bytes: number; totals: Totals }> {
  const totals: Totals = { accepted: 0, failed: 0, unknown: 0 };
  let bytes = 0;
  if (!existsSync(path)) return { bytes, totals };
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (bytes === 0 && `${line}\n` !== HEADER) refuse(path);
      if (bytes > 0) totals[readStatus(line) ?? refuse(path)] += 1;
      bytes += Buffer.byteLength(line) + 1;
    }
  }
  return { bytes, totals };
}

/** The status follows the recipient, which may be a quoted text. */
function readStatus(line: string): Outcome['status'] | undefined {
  const [, status] = /^\d+,(?:"(?:[^"]|"")*"|[^",]*),(accepted|failed|unknown),/.exec(line) ?? [];
  return status === 'accepted' || status === 'failed' || status === 'unknown' ? status : undefined;
}

function refuse(path: string): never {
  throw usage(`${path} is not a report of this command. Name another file with --report.`);
}

function formatLine(outcome: Outcome): string {
  return `${COLUMNS.map((column) => formatCell(outcome[column] ?? '')).join(',')}\n`;
}

/**
 * Where a spreadsheet takes what follows for a formula; also in the wide forms that some take for the same. A spreadsheet of a country with
 * decimal commas parts the cells at semicolons, also within our quotation marks, and drops such a mark at the beginning of a cell.
 */
const FORMULA = /(^|;)(?=[\s"]*[=+\-@＝＋－＠])/g;
const NUMBER = /^\+?\d+$/;

/**
 * In one line, whatever the file had in it. Strangers may have typed a recipient into some form: a spreadsheet must not calculate it, so
 * that it gets the sign before it which means a text there, and a terminal must not obey it.
 */
function formatCell(value: string | number): string {
  const shown = printable(String(value).replace(/[\r\n]+/g, ' '));
  const text = NUMBER.test(shown) ? shown : shown.replace(FORMULA, "$1'");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
