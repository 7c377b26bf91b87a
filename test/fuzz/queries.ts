import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

export const anyId = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.stringMatching(/^(msg|req|chn)_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
  fc.uuid(),
);
/** Paths of reads, with ids of every kind. Half of them are lists, which look at a query first. */
export const anyPath = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('/api/v1/messages', '/api/v1/channels', '/api/v1/account', '/platform/v1/accounts'),
  },
  ...['/api/v1/messages/', '/api/v1/requests/', '/platform/v1/accounts/'].map((path) => ({
    weight: 1,
    arbitrary: anyId.map(
      (text) => path + encodeURIComponent(text.toWellFormed()) + (path.endsWith('accounts/') ? '/keys' : ''),
    ),
  })),
);
const name = fc.oneof(
  fc.constantFrom(
    ...['limit', 'cursor', 'to', 'since', 'status', 'direction', 'request_id', 'message_id', 'client_reference'],
  ),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
);
const time = fc.constantFrom('2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z');
const cursor = fc.base64String({ minLength: 20, maxLength: 24 });
const value = fc.oneof(anyId, fc.constantFrom('1', '100', 'read', 'inbound'), time, cursor);
/** Values of the kind that their parameters have: a single wrong one would have all the others not looked at. */
const pair = fc.oneof(
  fc.tuple(name, value),
  fc.tuple(fc.constant('cursor'), cursor),
  fc.tuple(fc.constant('since'), time),
  fc.tuple(fc.constantFrom('request_id', 'message_id', 'client_reference', 'to'), anyId),
);
/** No query, or one with names that exist and values that may be wrong. */
export const anyQuery = fc.array(pair, { maxLength: 4 }).map((pairs) => {
  const parts = pairs.map((one) => one.map((part) => encodeURIComponent(part.toWellFormed())).join('='));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
});
