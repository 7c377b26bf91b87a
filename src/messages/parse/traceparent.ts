const OURS = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** More may stand behind a further dash; what is before it means the same. */
const LATER = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Reads a `traceparent`; undefined if it must be ignored. One of a later version goes on in ours: only the parts that ours has
 * are understood.
 * https://www.w3.org/TR/trace-context/#versioning-of-traceparent
 */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const form = header.startsWith('00') ? OURS : LATER;
  const [, traceId, parentId, flags] = form.exec(header) ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) ? undefined : `00-${traceId}-${parentId}-${flags}`;
}
