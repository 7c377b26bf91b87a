import { isIP } from 'node:net';
import { mayConnectTo } from './address-guard.ts';
import type { Resolve } from './resolve.ts';

/** The name has no address now. */
export class DnsFailure extends Error {}
/** The name has an address that nobody may be made to connect to. */
export class AddressRefused extends Error {}

/**
 * Of each family. An answer of the name servers may have 4,000, anybody's, and those that refuse at once cost none of the time: they would
 * all be tried, at each attempt.
 */
const ADDRESSES_USED = 4;

export interface CheckedAddress {
  address: string;
  family: number;
}

/** The addresses of a name, IPv4 first. Throws a `DnsFailure` if there is none, and `AddressRefused` if one is refused. */
export type CheckedAddresses = (hostname: string) => Promise<CheckedAddress[]>;

/** `local`: loopback is not refused. */
export function createCheckedAddresses(resolve: Resolve, local: boolean): CheckedAddresses {
  return async (hostname) => {
    const addresses = await resolve(hostname).catch(() => []);
    if (addresses.length === 0) throw new DnsFailure();
    if (!addresses.every((address) => mayConnectTo(address, local))) throw new AddressRefused();
    const used = (family: number) => addresses.filter((address) => isIP(address) === family).slice(0, ADDRESSES_USED);
    return [4, 6].flatMap((family) => used(family).map((address) => ({ address, family })));
  };
}
