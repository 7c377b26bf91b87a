import type { IncomingMessage } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { headerValues } from './header-values.ts';

const JSON_TYPE = /^application\/json\s*(;.*)?$/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/**
 * Throws `unsupported_media_type` for anything but plain JSON in UTF-8. With `emptyAllowed` a request without a body needs no
 * type. A body without a type is refused too: guessing is how wrong bytes get accepted.
 */
export function checkContentType(
  request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  emptyAllowed: boolean,
): void {
  const { headers } = request;
  const type = headers['content-type'];
  const coding = headers['transfer-encoding'];
  const empty = coding === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (type === undefined && empty && emptyAllowed) return;
  // Node gives only the first of several.
  if (headerValues(request, 'content-type').length > 1) throw unsupported('The content type is given more than once.');
  if (type === undefined || !JSON_TYPE.test(type)) throw unsupported('The content type must be application/json.');
  // Every one that is given: if two contradict each other, nobody knows which one the body is in.
  for (const [, charset] of type.matchAll(CHARSET))
    if (!/^utf-?8$/i.test(charset ?? '')) throw unsupported('The character set must be UTF-8.');
  if (headers['content-encoding'] !== undefined) throw unsupported('A Content-Encoding is not supported.');
  // Node undoes only the chunks, and would hand on what is compressed inside them.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw unsupported('A Transfer-Encoding other than chunked is not supported.');
}

function unsupported(detail: string): ApiError {
  return new ApiError('unsupported_media_type', detail);
}
