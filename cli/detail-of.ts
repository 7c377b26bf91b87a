import { listOf } from './list-of.ts';
import { printable } from './table.ts';

/**
 * The error of a message in one line; undefined if there is none. That parameters do not fit a template helps only somebody who knows which
 * ones, so each fault follows.
 */
export function detailOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  const { message, errors }: Record<string, unknown> = Object(error);
  const faults = listOf(errors).map(readFault);
  return [printable(message), ...faults].join(faults.length === 0 ? '' : '; ');
}

/** The rows of an answer for a table, with their error's `detail` added. */
export function withDetails(rows: unknown): object[] {
  return listOf(rows).map((row) => ({ ...Object(row), detail: detailOf(Object(row).error) }));
}

function readFault(fault: unknown): string {
  const { pointer, detail, expected, given }: Record<string, unknown> = Object(fault);
  const sides = [
    ...(expected === undefined ? [] : [`expected ${printable(expected)}`]),
    ...(given === undefined ? [] : [`given ${printable(given)}`]),
  ];
  // When a file is sent, nobody sees the requests. So the part of the pointer before the components says nothing, and is left out.
  const place = printable(pointer).replace(/^#\/(template|to\/\d+)\//, '');
  return `${place}: ${printable(detail)}${sides.length === 0 ? '' : ` (${sides.join(', ')})`}`;
}
