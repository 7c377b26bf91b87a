import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { mayConnectTo } from './address-guard.ts';

const REFUSED = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'shared by a carrier': ['100.64.0.1', '100.127.255.254'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.1', '192.88.99.1', '100::1', '3ffe::1', '4000::1', '5f00::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'a tunnel': ['2002:808:808::1', '2001:0:1::1', '64:ff9b:1::808:808', '::ffff:0:8.8.8.8'],
  "a cloud's own": ['168.63.129.16', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200'],
  'no address': ['', 'localhost', '1.2.3', 'example.com', '1.2.3.4.5'],
};

/**
 * What https://www.iana.org/assignments/iana-ipv6-special-registry and, for 3ffe::/16, .../ipv6-unicast-address-assignments hold, and
 * what was given up since. Without the two that are judged as what they envelop, ::ffff:0:0/96 and 64:ff9b::/96. Some can be reached
 * by all, and no customer is there.
 */
const SPECIAL = {
  '::1/128': 'loopback',
  '::/128': 'unspecified',
  '::/96': 'IPv4 in IPv6, given up',
  '64:ff9b:1::/48': 'translation within a network',
  '100::/64': 'discarded',
  '100:0:0:1::/64': 'a stand-in',
  '2001::/23': "protocols' own",
  '2001::/32': 'Teredo',
  '2001:1::1/128': 'anycast for port control',
  '2001:1::2/128': 'anycast for relays around NAT',
  '2001:1::3/128': 'anycast for service discovery',
  '2001:2::/48': 'benchmarking',
  '2001:3::/32': 'multicast by tunnels',
  '2001:4:112::/48': 'reverse names of private addresses',
  '2001:10::/28': 'hashes, given up',
  '2001:20::/28': 'hashes',
  '2001:30::/28': 'names of drones',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '2620:4f:8000::/48': 'reverse names of private addresses',
  '3ffe::/16': 'given back by the 6bone',
  '3fff::/20': 'documentation',
  '5f00::/16': 'segments of routes',
  'fc00::/7': 'unique within a network',
  'fe80::/10': 'within a link',
  'fec0::/10': 'within a site, given up',
  'ff00::/8': 'multicast',
};

describe('the address guard', () => {
  for (const [kind, addresses] of Object.entries(REFUSED)) {
    it(`refuses what is ${kind}`, () => {
      for (const address of addresses) assert.ok(!mayConnectTo(address, false), address);
    });
  }

  for (const [block, kind] of Object.entries(SPECIAL)) {
    it(`refuses ${block}, ${kind}, from its first address to its last`, () => {
      for (const end of [ipaddr.IPv6.networkAddressFromCIDR(block), ipaddr.IPv6.broadcastAddressFromCIDR(block)])
        assert.ok(!mayConnectTo(end.toString(), false), end.toString());
    });
  }

  it('lets what lies beside them pass', () => {
    for (const address of [
      '2001:200::1',
      '2001:db7::1',
      '2001:db9::1',
      '2003::1',
      '2620:4f:7fff::1',
      '2620:4f:8001::1',
    ])
      assert.ok(mayConnectTo(address, false), address);
  });

  it('lets public addresses pass', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
      assert.ok(mayConnectTo(address, false), address);
  });

  it('judges an IPv4 address in a mapped or translated form as the IPv4 address', () => {
    const part = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(part, part, part, part), (parts) => {
        const address = parts.join('.');
        const expected = mayConnectTo(address, false);
        assert.equal(mayConnectTo(`::ffff:${address}`, false), expected);
        assert.equal(mayConnectTo(`64:ff9b::${address}`, false), expected);
      }),
    );
  });

  it('lets loopback pass for local endpoints, and nothing else besides', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.ok(mayConnectTo(address, true), address);
    const rest = Object.entries(REFUSED).flatMap(([kind, addresses]) => (kind === 'loopback' ? [] : addresses));
    for (const address of rest) assert.ok(!mayConnectTo(address, true), address);
  });
});
