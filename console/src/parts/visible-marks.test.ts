import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSeen, seenText } from './visible-marks.ts';

it('a name of which nothing can be seen is written with what it is made of, and any other as it is', () => {
  for (const name of ['Zoë', 'مرحبا', '\u202eAda', '👩‍👩‍👧', '.']) {
    assert.ok(isSeen(name), name);
    assert.equal(seenText(name), name);
  }
  for (const name of ['\u200b', '\u3164', '\u2800 \u00a0', '\u202e']) assert.ok(!isSeen(name), JSON.stringify(name));
  assert.equal(seenText('\u200b\u3164'), '[U+200B][U+3164]');
});
