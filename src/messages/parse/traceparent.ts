const OURS = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** More may stand behind a further dash; what is before it means the same. */
const LATER = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
/** Sampled, and random: what else may be set has no meaning yet, and must not go on. */
const FLAGS_KNOWN = 0x03;

/**
 * Reads a `traceparent`; undefined if it must be ignored. One of a later version goes on in ours: only the parts that ours has
 * are understood.
 * https://www.w3.org/TR/trace-context-2/#versioning-of-traceparent
 */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const form = header.startsWith('00') ? OURS : LATER;
  const [, traceId, parentId, given = ''] = form.exec(header) ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  const flags = (Number.parseInt(given, 16) & FLAGS_KNOWN).toString(16).padStart(2, '0');
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) ? undefined : `00-${traceId}-${parentId}-${flags}`;
}
