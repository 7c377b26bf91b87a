/** The names and places in a pointer of the validator, which is a JSON Pointer. */
export function wayOf(path: string): string[] {
  return path.split('/').slice(1).map(nameOf);
}

/** What one step of it names. */
function nameOf(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
