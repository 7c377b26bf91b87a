import type { Fault } from '../kernel/errors.ts';

const DETAIL = 'This is not percent-encoded UTF-8.';

/**
 * The parameters of a URL whose names or values cannot be decoded. Fastify takes these as they came: a list would look for the text
 * `caf%E9`, find nothing, and its caller would believe that nothing was there.
 */
export function encodingFaults(url: string): Fault[] {
  const at = url.indexOf('?');
  if (at === -1 || !url.includes('%', at)) return [];
  const pairs = url.slice(at + 1).split('&');
  return pairs
    .filter((pair) => decoded(pair) === undefined)
    .map((pair) => ({ parameter: nameOf(pair), detail: DETAIL }));
}

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return decoded(name) ?? name;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
