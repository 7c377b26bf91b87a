/**
 * Writes an array as PostgreSQL reads it (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). The driver can do
 * so too, in twice the time, and all that many sends or reports have in common goes to the store in arrays. Throws for what
 * no statement of ours gives: arrays in arrays, other objects, and times that are no four-digit year's.
 */
export function arrayText(items: readonly unknown[]): string {
  let text = '';
  // Rows of one moment have the same time, and to write one costs as much as ten ids.
  let lastMs = Number.NaN;
  let lastTime = '';
  for (const [place, item] of items.entries()) {
    if (place > 0) text += ',';
    if (item instanceof Date) {
      if (item.getTime() !== lastMs) {
        lastMs = item.getTime();
        lastTime = timeText(item);
      }
      text += lastTime;
    } else text += elementText(item);
  }
  return `{${text}}`;
}

function elementText(item: unknown): string {
  if (item === null || item === undefined) return 'NULL';
  if (typeof item === 'string') return `"${escaped(item)}"`;
  if (typeof item === 'number' || typeof item === 'boolean') return String(item);
  if (Buffer.isBuffer(item)) return `"\\\\x${item.toString('hex')}"`;
  throw new TypeError('An array for a statement holds texts, numbers, booleans, times and bytes only');
}

function escaped(text: string): string {
  const slashed = text.includes('\\') ? text.replace(/\\/g, '\\\\') : text;
  return slashed.includes('"') ? slashed.replace(/"/g, '\\"') : slashed;
}

function timeText(time: Date): string {
  const text = time.toISOString();
  if (text.length !== '2026-01-01T00:00:00.000Z'.length) throw new RangeError(`A time beyond what is stored: ${text}`);
  return `"${text}"`;
}
