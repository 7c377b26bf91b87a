import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../kernel/errors.ts';

const JSON_TYPE = /^application\/json\s*(;.*)?$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/**
 * Throws `unsupported_media_type` for anything but plain JSON in UTF-8. With `emptyAllowed` a request without a body needs no
 * type. A body without a type is refused too: guessing is how wrong bytes get accepted.
 */
export function checkContentType(headers: IncomingHttpHeaders, emptyAllowed: boolean): void {
  const type = headers['content-type'];
  const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (type === undefined && empty && emptyAllowed) return;
  if (type === undefined || !JSON_TYPE.test(type)) throw unsupported('The content type must be application/json.');
  // Each of them: of two that contradict each other nobody knows which one the body is in.
  for (const [, charset] of type.matchAll(CHARSET))
    if (!/^utf-?8$/i.test(charset ?? '')) throw unsupported('The character set must be UTF-8.');
  if (headers['content-encoding'] !== undefined) throw unsupported('A Content-Encoding is not supported.');
}

function unsupported(detail: string): ApiError {
  return new ApiError('unsupported_media_type', detail);
}
