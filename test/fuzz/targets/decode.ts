import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeNotification } from '../../../src/provider/whatsapp/decode/decode.ts';
import { anyBytes, mutatedPayload } from '../notification-body.ts';
import type { FuzzTarget } from '../target.ts';

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Only a notification with an empty list of entries has nothing to say. */
const NO_ENTRIES = /"entry":\[\]/;

/** Whatever the bytes are, the decoder must not throw, and its result can be stored. */
export const decodeTarget: FuzzTarget = {
  name: 'the decoder of notifications',
  property: () =>
    fc.property(fc.oneof(anyBytes, mutatedPayload.map(bytesOf)), (body) => {
      const decoded = decodeNotification(body);
      if (decoded.kind === 'not_json') return;
      const text = JSON.stringify(decoded.items);
      assert.ok(decoded.items.length > 0 || NO_ENTRIES.test(String(body)), String(body));
      assert.ok(!NOT_STORABLE.test(text), text);
    }),
};

function bytesOf(payload: unknown): Buffer {
  return Buffer.from(JSON.stringify(payload) ?? '');
}
