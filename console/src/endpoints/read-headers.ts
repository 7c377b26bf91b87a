/**
 * Reads headers as people paste them: a line for each, or an object as JSON, Node or Python print it, in many lines or in one. A header that
 * is there twice becomes a list.
 */
export function readHeaders(pasted: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of pasted.trim().startsWith('{') ? membersOf(pasted) : linesOf(pasted)) {
    const before = found[name];
    found[name] = before === undefined ? value : [before, value].flat();
  }
  return found;
}

/** A name, with quotation marks or without, and a list of texts or one. No header of interest has a quotation mark in its value. */
const MEMBER = /(?:^|[{,\s])(['"]?)([A-Za-z0-9-]+)\1\s*:\s*(\[[^\]]*\]|"[^"]*"|'[^']*')/g;

function membersOf(pasted: string): [string, string][] {
  return [...pasted.matchAll(MEMBER)].flatMap(([, , name = '', values = '']) =>
    [...values.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, double, single]): [string, string] => [
      name.toLowerCase(),
      double ?? single ?? '',
    ]),
  );
}

function linesOf(pasted: string): [string, string][] {
  return pasted
    .split('\n')
    .map((line): [string, string] => {
      const [, name = '', value = ''] = /^\s*["']?([A-Za-z0-9-]+)["']?\s*[:=]\s*["']?(.*?)["']?,?\s*$/.exec(line) ?? [];
      return [name.toLowerCase(), value];
    })
    .filter(([name]) => name !== '');
}
