import { promises } from 'node:dns';
import { isLocalhostName } from './url.ts';

/** The addresses of a name, all of them; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * Asks the name servers directly. The usual look-up of the system would take one of four threads for as long as a name
 * server is silent, so that a few dead names would hold up everyone.
 */
export function createResolve(): Resolve {
  const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    if (isLocalhostName(hostname)) return ['127.0.0.1', '::1'];
    const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    if (addresses.length === 0) throw new Error('The name has no address');
    return addresses;
  };
}
