/** One step of a JSON Pointer in the form of a URI fragment (RFC 6901 sections 3 and 6). */
export function pointerToken(name: string | number): string {
  const escaped = String(name).replaceAll('~', '~0').replaceAll('/', '~1');
  return encodeURIComponent(escaped.toWellFormed());
}
