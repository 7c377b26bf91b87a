import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { glob, read } from '../support/tree.ts';
import { PAGES } from './blocks.ts';

const FILES = [...PAGES, ...glob('{docs/**/*.json,docs/**/*.yaml,.env.example}')];

/**
 * What no page may show, whether it is real or only looks so: neither a reader nor a scanner can tell. The largest safe integer is allowed,
 * because it is a limit in the API description.
 */
const FORBIDDEN: Record<string, RegExp> = {
  'a signature or a hash': /\b[0-9a-f]{64}\b/gi,
  'a signature of an event': /\bv1,[A-Za-z0-9+/]{43}=/g,
  'an access token': /\bEAA[A-Za-z0-9]{16,}/g,
  "an account's key": /\bwp_(live|test)_[0-9A-Za-z]{36}\b/g,
  "a platform's key": /\bwp_root_[0-9A-Za-z]{32,}/g,
  "an endpoint's secret": /\bwhsec_[A-Za-z0-9+/]{24,}/g,
  'a secret in base64': /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])/g,
  'an id of the provider': /(?<![\d.])(?!9007199254740991)\d{14,17}(?![\d.])/g,
  'a whole message id of the provider, which holds a phone number': /\bwamid\.[A-Za-z0-9+/=]{16,}/g,
  'an address of a machine':
    /(?<![\d.])(?!127\.0\.0\.1|0\.0\.0\.0|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)\d{1,3}(\.\d{1,3}){3}(?![\d.])/g,
  'a stack trace': /^\s+at .+:\d+:\d+\)?$/gm,
};
const PHONE_NUMBER = /(?<![\w/])\+\d[\d ().-]{5,}\d(?!\w)/g;
/** Numbers that belong to nobody. */
const FICTIONAL = /^\+(447700900\d{3}|1555\d+)$/;

describe('the pages', () => {
  it('show no secret, no signature, no id and no number of anybody', () => {
    assert.deepEqual(
      FILES.flatMap((path) => found(read(path)).map((what) => `${path} shows ${what}`)),
      [],
    );
  });
});

describe('the search for such things', () => {
  it('finds each of them', () => {
    const shown = [
      `sha256=${'0a'.repeat(32)}`,
      `v1,${'a'.repeat(43)}=`,
      `EAA${'x1'.repeat(20)}`,
      `wp_test_${'a1'.repeat(18)}`,
      `wp_root_${'a1'.repeat(18)}`,
      `whsec_${'a1'.repeat(18)}`,
      `WAYPOST_MASTER_KEY=${'a'.repeat(43)}=`,
      `"phone_number_id": "${'12'.repeat(8)}"`,
      `wamid.${'HBgL'.repeat(8)}`,
      'the host 10.1.2.3',
      '    at send (send.ts:1:2)',
      'call +44 20 7946 0018',
    ];
    for (const text of shown) assert.notDeepEqual(found(text), [], text);
    const harmless = '+447700900123 +44 7700 900123 +15550131026 127.0.0.1 wp_test_... 2026-01-31T12:00:00.000Z';
    assert.deepEqual(found(harmless), []);
  });
});

function found(text: string): string[] {
  const things = Object.entries(FORBIDDEN).flatMap(([what, pattern]) =>
    [...text.matchAll(pattern)].map(([match]) => `${what}: ${match}`),
  );
  const numbers = [...text.matchAll(PHONE_NUMBER)].map(([match]) => match);
  const real = numbers.filter((number) => !FICTIONAL.test(number.replace(/[ ().-]/g, '')));
  return [...things, ...real.map((number) => `a phone number: ${number}`)];
}
