import { ApiError } from './errors.ts';
import { type IdPrefix, parseId } from './ids.ts';

const KINDS = {
  chn: 'channel',
  end: 'endpoint',
  evt: 'event',
  key: 'key',
  msg: 'message',
  ntf: 'notification',
  req: 'request',
  tpl: 'template',
} satisfies Partial<Record<IdPrefix, string>>;

/**
 * What is not there, or not for this caller. A `given` id that is not well formed, or of another kind, gets the form of the right one;
 * without one the form was right.
 */
export function noSuch(prefix: keyof typeof KINDS, given?: string, more = ''): ApiError {
  const what = `There is no such ${KINDS[prefix]}`;
  const isMalformed = given !== undefined && parseId(prefix, given) === undefined;
  const detail = isMalformed
    ? `${what}: its id has ${prefix}_ and 26 letters and digits in lower case.`
    : `${what}${more}.`;
  return new ApiError('not_found', detail);
}
