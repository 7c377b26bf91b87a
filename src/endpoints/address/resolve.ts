import { promises } from 'node:dns';
import { type SteadyClock, systemClock } from '../../kernel/clock.ts';
import { withinMs } from '../../kernel/within-ms.ts';
import { isLocalhostName } from './url.ts';

/** The addresses of a name, all that its name servers tell in time; rejects if there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * The longest wait for one try. Where the name servers have answered quickly before, the resolver begins with less by itself, some 700 ms, and
 * doubles it: with two tries it gave up a slow name after 2 to 3 s.
 */
const TIMEOUT_MS = 3_000;
const TRIES = 4;
/**
 * Some name servers never answer a question for IPv6, which would cost each new connection up to 12 s. Ten times what RFC 8305 gives to
 * the later answer: nobody sits in front of it, and where there is only IPv6, the other addresses are of no use.
 */
const IPV6_LATER_MS = 500;
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
    const ipv6 = resolver.resolve6(hostname).catch(none);
    const ipv4 = await resolver.resolve4(hostname).catch(none);
    const addresses = ipv4.concat(await (ipv4.length === 0 ? ipv6 : withinMs(ipv6, IPV6_LATER_MS, none)));
    if (addresses.length === 0) throw new Error('The name has no address');
    return addresses;
  };
}

/** A family that nothing is told of, or too late, has no addresses. */
function none(): string[] {
  return [];
}

function makeResolver(): promises.Resolver {
  return new promises.Resolver({ timeout: TIMEOUT_MS, maxTimeout: TIMEOUT_MS, tries: TRIES });
}
