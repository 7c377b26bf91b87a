import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJsonBody } from '../../src/http/json-body.ts';
import { LARGE_BYTES_MIN } from '../../src/http/large-bodies.ts';
import { parseSend } from '../../src/messages/parse/parse-send.ts';
import { checkComponents } from '../../src/provider/whatsapp/template/form/check-components.ts';
import { least } from '../support/least.ts';

/** Processor time. Such a body takes 2 to 4 ms of it, and took 15 to 30 when it could have 64 KiB. A key may post fifty a second. */
const LIMIT_MS = 10;

const filled = (before: string, piece: string, after: string) =>
  before + piece.repeat((LARGE_BYTES_MIN - 1 - before.length - after.length) / piece.length) + after;
const TEXT = ',"type":"text","text":{"body":"x"}}';
const BODIES = {
  'thousands of recipients that cannot be read': filled('{"to":"', 'a,', `"${TEXT}`),
  'thousands of objects that are no recipients': filled('{"to":[', '{"a":1},', `1]${TEXT}`),
  'thousands of numbers, one of which must keep its digits': filled(
    '{"to":"+447700900123","type":"template","template":{"name":"n","language":"de","components":[{"type":"x","y":[',
    '1,',
    '12345678901234567890]}]}}',
  ),
};

function read(body: Buffer): void {
  try {
    parseSend(parseJsonBody(body, { passedOn: true }), checkComponents);
  } catch {
    // Most of them are refused, which takes as long.
  }
}

describe('the largest body that does not wait for its turn is read in some milliseconds, however it is made:', () => {
  for (const [what, text] of Object.entries(BODIES))
    it(what, async () => {
      const body = Buffer.from(text);
      assert.ok(body.length < LARGE_BYTES_MIN && body.length > LARGE_BYTES_MIN - 10);
      const tookMs = await least(LIMIT_MS, async () => {
        const begun = process.cpuUsage();
        read(body);
        return process.cpuUsage(begun).user / 1_000;
      });
      assert.ok(tookMs <= LIMIT_MS, `${tookMs} ms`);
    });
});
