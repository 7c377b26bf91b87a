/** Reads headers as people paste them: a line for each, or a JSON object. A header that is there twice becomes a list. */
export function readHeaders(pasted: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of linesOf(pasted)) {
    const before = found[name];
    found[name] = before === undefined ? value : [before, value].flat();
  }
  return found;
}

function linesOf(pasted: string): [string, string][] {
  return pasted
    .split('\n')
    .map((line): [string, string] => {
      const [, name = '', value = ''] = /^\s*"?([A-Za-z0-9-]+)"?\s*[:=]\s*"?(.*?)"?,?\s*$/.exec(line) ?? [];
      return [name.toLowerCase(), value];
    })
    .filter(([name]) => name !== '');
}
