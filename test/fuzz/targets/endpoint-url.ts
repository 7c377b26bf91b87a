import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { mayConnectTo } from '../../../src/endpoints/address/address-guard.ts';
import { readEndpointUrl } from '../../../src/endpoints/address/url.ts';
import { anyCharacter } from '../../support/any-character.ts';
import type { FuzzTarget } from '../target.ts';

const octet = fc.integer({ min: 0, max: 255 });
const octets = fc.oneof(
  fc.tuple(octet, octet, octet, octet),
  fc.tuple(fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255), octet, octet, octet),
);
/** The ways in which an IPv4 address can be written, for people and for parsers. */
const v4 = fc.oneof(
  octets.map((parts) => parts.join('.')),
  octets.map((parts) => String(numberOf(parts))),
  octets.map((parts) => `0x${numberOf(parts).toString(16)}`),
  octets.map((parts) => parts.map((part) => `0${part.toString(8)}`).join('.')),
  octets.map(([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`),
  octets.map((parts) => `${parts.join('.')}.`),
);
const v6 = fc.oneof(
  fc.ipV6(),
  octets.map((parts) => `::ffff:${parts.join('.')}`),
  octets.map((parts) => `64:ff9b::${parts.join('.')}`),
  octets.map((parts) => `::${parts.join('.')}`),
  octets.map((parts) => `2002:${hex16(parts, 0)}:${hex16(parts, 2)}::1`),
);
const host = fc.oneof(
  v4,
  v6.map((address) => `[${address}]`),
  fc.domain(),
  fc.constantFrom('localhost', 'LOCALHOST.', 'a.localhost', '①②⑦.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', ''),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);
const url = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc
    .tuple(
      fc.constantFrom('https:', 'http:', 'HTTPS:', 'ftp:', 'https', ''),
      fc.constantFrom('//', '/', '///', '\\\\', '//user@', '//a:b@', '//8.8.8.8@', ''),
      host,
      fc.constantFrom('', ':', ':443', ':8443', ':22', ':65536', ':0'),
      fc.oneof(fc.webPath(), fc.string({ unit: anyCharacter, maxLength: 10 })),
    )
    .map((parts) => parts.join('')),
);

/** A URL that is accepted is https, has no user name, and its address is allowed by the guard. Nothing throws. */
export const endpointUrlTarget: FuzzTarget = {
  name: 'URLs of endpoints',
  property: () =>
    fc.property(url, fc.boolean(), (text, local) => {
      const reading = readEndpointUrl(text, local);
      if (reading.kind === 'refused') {
        assert.ok(reading.detail.length > 0);
        return;
      }
      const { protocol, hostname, username, password, hash } = reading.url;
      assert.ok(protocol === 'https:' || (local && protocol === 'http:'), text);
      assert.equal(username + password + hash, '', text);
      const bare = hostname.replace(/^\[|\]$/g, '');
      assert.ok(isIP(bare) === 0 || mayConnectTo(bare, local), text);
      assert.ok(local || !/(^|\.)localhost\.?$/i.test(hostname), text);
    }),
};

/** The guard never throws. It treats an IPv6 address like the IPv4 address in it. */
export const addressGuardTarget: FuzzTarget = {
  name: 'the address guard',
  property: () =>
    fc.property(octets, fc.oneof(v4, v6, fc.string()), fc.boolean(), (parts, any, local) => {
      mayConnectTo(any, local);
      const plain = mayConnectTo(parts.join('.'), local);
      assert.equal(mayConnectTo(`::ffff:${parts.join('.')}`, local), plain, parts.join('.'));
      assert.ok(!mayConnectTo(`::${hex16(parts, 0)}:${hex16(parts, 2)}`, false) || plain);
    }),
};

function numberOf(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

function hex16(parts: readonly number[], at: number): string {
  return ((parts[at] ?? 0) * 256 + (parts[at + 1] ?? 0)).toString(16);
}
