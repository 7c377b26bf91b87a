/**
 * How undici connects to a name with several addresses: so many addresses that do not answer have their turn within the time for
 * connecting. By itself the runtime gives up each address but the last after half a second, which is before the system has asked a
 * second time; the last one may then be an IPv6 address that leads nowhere from here.
 */
export function eachAddressWithin(connectTimeoutMs: number, addressesTried: number) {
  return {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.ceil(connectTimeoutMs / addressesTried),
  };
}
