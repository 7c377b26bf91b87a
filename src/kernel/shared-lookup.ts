import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

type Tell = Parameters<LookupFunction>[2];

/** Those who wait for each look-up that is under way. */
const waiting = new Map<string, Tell[]>();

/**
 * The system's look-up of a name. Who asks for a name that is being looked up waits for the same answer.
 *
 * Each look-up takes a thread for as long as the name servers are silent, and few threads look up names (`scripts/start.js`). Many
 * connections to one name, again and again, would take all of them, and then no connection could be made to a database that has a name.
 */
export const sharedLookup: LookupFunction = (hostname, options, tell) => {
  const key = JSON.stringify([hostname, options]);
  const others = waiting.get(key);
  if (others !== undefined) {
    others.push(tell);
    return;
  }
  const all = [tell];
  waiting.set(key, all);
  dns.lookup(hostname, options, (...answer) => {
    waiting.delete(key);
    for (const each of all) each(...answer);
  });
};
