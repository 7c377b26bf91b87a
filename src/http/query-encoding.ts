import type { Fault } from '../kernel/errors.ts';

/** As many as are told of what a schema finds. */
const FAULTS_MAX = 300;

/** Finds each parameter of a URL whose name or value is not percent-encoded UTF-8: the parser takes such a one as it stands. */
export function encodingFaults(url: string): (Fault & { parameter: string })[] {
  const start = url.search(/[?#]/);
  if (start === -1 || !url.includes('%', start)) return [];
  const names = new Set<string>();
  for (const pair of url.slice(start + 1).split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (decoded(pair) === undefined) names.add(decoded(name) ?? name);
  }
  const detail = 'This is not percent-encoded UTF-8.';
  return [...names].slice(0, FAULTS_MAX).map((parameter) => ({ parameter, detail }));
}

/** undefined: it cannot be. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
