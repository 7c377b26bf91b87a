import { printable } from './table.ts';

/**
 * What the error of a message says, in one line. That parameters do not fit a template helps nobody who is not told which,
 * so each fault stands behind it. undefined: there is no error.
 */
export function detailOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  const { message, errors }: Record<string, unknown> = Object(error);
  const faults = Array.isArray(errors) ? errors.map(readFault) : [];
  return [printable(message), ...faults].join(faults.length === 0 ? '' : '; ');
}

/** The same for tables: rows of an answer, with `detail` beside what they have. */
export function withDetails(rows: unknown): object[] {
  return (Array.isArray(rows) ? rows : []).map((row) => ({ ...row, detail: detailOf(Object(row).error) }));
}

function readFault(fault: unknown): string {
  const { pointer, detail, expected, given }: Record<string, unknown> = Object(fault);
  const sides = [
    ...(expected === undefined ? [] : [`expected ${printable(expected)}`]),
    ...(given === undefined ? [] : [`given ${printable(given)}`]),
  ];
  // Of a file nobody sees the requests that it is sent by, so what stands before the components tells nothing.
  const place = printable(pointer).replace(/^#\/(template|to\/\d+)\//, '');
  return `${place}: ${printable(detail)}${sides.length === 0 ? '' : ` (${sides.join(', ')})`}`;
}
