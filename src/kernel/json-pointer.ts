/** A name of 512 characters has a place in it, whatever they are: the longest of them take nine. */
const POINTER_CHARACTERS_MAX = 5_000;

/**
 * The JSON Pointer, in the form of a URI fragment (RFC 6901 sections 3 and 6), that leads by these names and places from what
 * `from` points to. Where it would become endless it ends before: an answer repeats it with every fault, and a name may have a
 * megabyte.
 */
export function pointerTo(way: readonly (string | number)[], from = '#'): string {
  let pointer = from;
  for (const name of way) {
    const text = String(name);
    if (pointer.length + text.length >= POINTER_CHARACTERS_MAX) return pointer;
    const escaped = text.replaceAll('~', '~0').replaceAll('/', '~1');
    const longer = `${pointer}/${encodeURIComponent(escaped.toWellFormed())}`;
    if (longer.length > POINTER_CHARACTERS_MAX) return pointer;
    pointer = longer;
  }
  return pointer;
}
