import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { mayConnectTo } from './address-guard.ts';

const REFUSED = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'shared by a carrier': ['100.64.0.1', '100.127.255.254'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.1', '192.88.99.1', '100::1', '4000::1', '5f00::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'a tunnel': ['2002:808:808::1', '2001:0:1::1', '64:ff9b:1::808:808', '::ffff:0:8.8.8.8'],
  "a cloud's own": ['168.63.129.16', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200'],
  'no address': ['', 'localhost', '1.2.3', 'example.com', '1.2.3.4.5'],
};

describe('the address guard', () => {
  for (const [kind, addresses] of Object.entries(REFUSED)) {
    it(`refuses what is ${kind}`, () => {
      for (const address of addresses) assert.ok(!mayConnectTo(address, false), address);
    });
  }

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
