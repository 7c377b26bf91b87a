const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Reads a `traceparent` (W3C Trace Context); undefined if it must be ignored. */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.startsWith('ff')) return undefined;
  const [, traceId, parentId] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(parentId) ? undefined : header;
}
