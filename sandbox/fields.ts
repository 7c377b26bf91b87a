import { GraphError } from './graph-error.ts';

/** What `throughput{level}` and `statuses.limit(1)` ask for within a field: the whole field is given. */
const WITHIN_FIELD = /\{[^{}]*\}|\.[a-z_]+\([^()]*\)/g;

/**
 * Picks the fields that a request asks for, and the id, which is always given. Without `fields=` that is the default;
 * a field that does not exist is refused.
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
