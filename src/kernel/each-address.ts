/**
 * How undici connects to a name with several addresses: so many silent ones have their turn within the time for connecting. The
 * runtime would leave each but the last after half a second, before the system has asked a second time, and be left with an
 * IPv6 address that leads nowhere from here.
 */
export function eachAddressWithin(connectTimeoutMs: number, addressesTried: number) {
  return {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.ceil(connectTimeoutMs / addressesTried),
  };
}
