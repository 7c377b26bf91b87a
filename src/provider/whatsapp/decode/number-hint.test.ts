import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { decodeNotification } from './decode.ts';
import { numberHint } from './number-hint.ts';

const TESTDATA = new URL('../testdata/', import.meta.url);

describe('the hint at the number of a notification', () => {
  it('is what the decoder reads, for every kind that names one', () => {
    const files = readdirSync(TESTDATA).filter((name) => name.endsWith('.json'));
    let named = 0;
    for (const file of files) {
      const body = readFileSync(new URL(file, TESTDATA));
      const decoded = decodeNotification(body);
      const numbers = decoded.kind === 'items' ? decoded.items.map(({ phoneNumberId }) => phoneNumberId) : [];
      const first = numbers.find((number) => number !== undefined);
      if (first === undefined) continue;
      named += 1;
      assert.equal(numberHint(body), first, file);
    }
    assert.ok(named > 10, `${named} files name a number`);
  });

  it('is empty where there is none, and for any other bytes', () => {
    for (const text of [
      '',
      '{}',
      '"phone_number_id"',
      '"phone_number_id":',
      '"phone_number_id": 1',
      '"phone_number_id":"x"',
    ])
      assert.equal(numberHint(Buffer.from(text)), '', text);
    assert.equal(numberHint(Buffer.from([0xff, 0xfe, 0])), '');
  });
});
