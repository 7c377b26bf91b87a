import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

export const anyId = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.stringMatching(/^(msg|req|chn)_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
  fc.uuid(),
);
/** Paths of reads, with ids of every kind. */
export const anyPath = fc.oneof(
  fc.constantFrom('/api/v1/messages', '/api/v1/channels', '/api/v1/account', '/platform/v1/accounts'),
  anyId.map((text) => `/api/v1/messages/${encodeURIComponent(text.toWellFormed())}`),
  anyId.map((text) => `/api/v1/requests/${encodeURIComponent(text.toWellFormed())}`),
  anyId.map((text) => `/platform/v1/accounts/${encodeURIComponent(text.toWellFormed())}/keys`),
);
const name = fc.oneof(
  fc.constantFrom(
    ...['limit', 'cursor', 'to', 'since', 'status', 'direction', 'request_id', 'message_id', 'client_reference'],
  ),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
);
const value = fc.oneof(
  anyId,
  fc.constantFrom(
    '1',
    '100',
    'read',
    'inbound',
    '2026-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
  ),
  fc.base64String({ minLength: 22, maxLength: 24 }),
);
/** No query, or one with names that exist and values that may be wrong. */
export const anyQuery = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((pairs) => {
  const parts = pairs.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
});
