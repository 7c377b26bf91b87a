import { promises } from 'node:dns';
import { type SteadyClock, systemClock } from '../../kernel/clock.ts';
import { isLocalhostName } from './url.ts';

/** The addresses of a name, all of them; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/**
 * A resolver reads which name servers there are when it is made, and never again: where the machine's network gives it others,
 * every name would be lost until the next start. It is not made for each look-up, because it remembers which of them is silent.
 */
const SERVERS_BELIEVED_MS = 30_000;

/**
 * Asks the name servers directly. The usual look-up of the system would take one of four threads for as long as a name
 * server is silent, so that a few dead names would hold up everyone.
 */
export function createResolve(clock: SteadyClock = systemClock): Resolve {
  let resolver = makeResolver();
  let madeMs = clock.steadyMs();
  return async (hostname) => {
    if (isLocalhostName(hostname)) return ['127.0.0.1', '::1'];
    if (clock.steadyMs() - madeMs >= SERVERS_BELIEVED_MS) {
      resolver = makeResolver();
      madeMs = clock.steadyMs();
    }
    const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
    if (addresses.length === 0) throw new Error('The name has no address');
    return addresses;
  };
}

function makeResolver(): promises.Resolver {
  return new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
}
