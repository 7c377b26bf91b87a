import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What the library calls plain unicast, but is not the world: see the sentence beside each. */
const ALSO_REFUSED = [
  // RFC 3701: a network of trials until 2006, then given back; nobody has it, and routers may still lead it somewhere inside.
  ipaddr.parseCIDR('3ffe::/16'),
  // A cloud's own service, which answers its guests under a public address.
  ipaddr.parseCIDR('168.63.129.16/32'),
];
/** All of IPv6 that is given out to the world; so what is new or old and odd is refused without being named. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** RFC 6052: an IPv4 address behind a translator. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an attempt may connect to an address: only to public ones, or with `local` to loopback too. An IPv4 address
 * inside an IPv6 one (mapped, NAT64) is judged as what it is; 6to4 and Teredo, long out of use, are refused.
 */
export function mayConnectTo(address: string, local: boolean): boolean {
  if (isIP(address) === 0) return false;
  const judged = withoutEnvelope(ipaddr.parse(address));
  if (local && judged.range() === 'loopback') return true;
  if (judged.range() !== 'unicast') return false;
  if (judged instanceof ipaddr.IPv6 && !judged.match(GLOBAL_UNICAST)) return false;
  return !ALSO_REFUSED.some(([network, bits]) => judged.kind() === network.kind() && judged.match(network, bits));
}

function withoutEnvelope(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address;
  if (!address.isIPv4MappedAddress() && !address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
