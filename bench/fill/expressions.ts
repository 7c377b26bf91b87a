const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The middle part of an id, as hexadecimal digits and as the text in base 32. */
export function middle(row: string): string {
  return `'7' || lpad(to_hex(${row}), 3, '0') || '8', ${base32(`(${row}) * 16 + ${0x70008}`, 4)}`;
}

/** The last digits of a number, in the base 32 of our ids. */
export function base32(value: string, digits: number): string {
  const digit = (place: number) => `substr('${DIGITS}', ((((${value})::bigint) >> ${5 * place}) & 31)::integer + 1, 1)`;
  return Array.from({ length: digits }, (_, place) => digit(digits - 1 - place)).join(' || ');
}

/** A time in the form that callers see. */
export function isoText(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
