import { GraphError } from './graph-error.ts';

/** What a request may ask for within a field, as in `throughput{level}` or `statuses.limit(1)`. It is ignored: the whole field is given. */
const WITHIN_FIELD = /\{[^{}]*\}|\.[a-z_]+\([^()]*\)/g;

/**
 * Picks the fields that a request asks for, or the defaults without `fields=`. The id is always given. A field that does not exist is
 * refused.
 */
export function pickFields(
  node: Record<string, unknown>,
  { asked, defaults, nodeType }: { asked: string | undefined; defaults: readonly string[]; nodeType: string },
): Record<string, unknown> {
  const names = asked === undefined ? defaults : namesIn(asked);
  const known = new Map(Object.entries(node));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    const message = `(#100) Tried accessing nonexisting field (${unknown}) on node type (${nodeType})`;
    throw new GraphError(100, { message });
  }
  return Object.fromEntries([...new Set([...names, 'id'])].map((name) => [name, known.get(name)]));
}

function namesIn(asked: string): string[] {
  const names = asked.replace(WITHIN_FIELD, '').split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}
