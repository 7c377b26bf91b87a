import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, errors, Pool } from 'undici';
import { closeAtFault } from '../../kernel/close-at-fault.ts';
import { eachAddressWithin } from '../../kernel/each-address.ts';
import { mayConnectTo } from './address-guard.ts';
import { boundAnswers } from './bound-answers.ts';
import type { Resolve } from './resolve.ts';

/** The name has no address now. */
export class DnsFailure extends Error {}
/** The name has an address that nobody may be made to connect to. */
export class AddressRefused extends Error {}

/** An idle connection is left before the other side would close it; its own hint wins, less a margin. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MARGIN_MS = 2_000;
const KEEP_ALIVE_MAX_MS = 60_000;
/** Silent ones of a name, within the time for connecting. */
const ADDRESSES_TRIED = 3;
/**
 * Of each family. An answer of the name servers may have 4,000, anybody's, and those that refuse at once cost none of the time: they would
 * all be tried, at each attempt.
 */
const ADDRESSES_USED = 4;
/** As much as an answer may have of body; Node's 16 KiB are soon filled by cookies and policies. */
const HEADER_BYTES_MAX = 64 << 10;

/**
 * Connections to customers' servers. Every address of a name is checked in the look-up of the connection itself, so the
 * address that was checked is the one that is used; a name with one refused address is refused altogether. A literal
 * address passes no look-up: `readEndpointUrl` checks it before each attempt.
 */
export function createGuardedAgent(
  resolve: Resolve,
  { local, timeoutMs }: { local: boolean; timeoutMs: number },
): Agent {
  const connect = closeAtFault(
    buildConnector({
      lookup: createLookup(resolve, local),
      timeout: timeoutMs,
      ...eachAddressWithin(timeoutMs, ADDRESSES_TRIED),
      allowH2: false,
    }),
  );
  return new Agent({
    factory: createForgettablePool,
    connect: boundByWhatComes(connect, timeoutMs),
    // One request at a time on a connection, so that one that breaks touches one attempt only.
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // An attempt has one time limit for all of it; undici's start anew with every chunk.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/**
 * undici forgets an origin when its last connection closes, unless calls wait. Where a call was broken off, that call still counts as one in
 * this moment, and the origin, with 20 kB, would be kept for ever if it was never called again: URLs change, and endpoints are deleted.
 * So undici is made to look once more.
 */
function createForgettablePool(origin: string | URL, options: Pool.Options): Pool {
  const pool = new Pool(origin, options);
  return pool.on('disconnect', (url, _targets, error) => {
    setImmediate(() => pool.emit('connectionError', url, [], error));
  });
}

/**
 * The connection is made first and TLS put on it then, so that all that comes on it can be counted. Both have one time: an endpoint that is
 * slow in each would hold its connection for long after its attempt.
 */
function boundByWhatComes(connect: buildConnector.connector, timeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    const begunMs = performance.now();
    const isSecure = options.protocol === 'https:';
    const port = options.port === '' && isSecure ? '443' : options.port;
    connect({ ...options, protocol: 'http:', port }, (...made) => {
      const [error, below] = made;
      if (error !== null) return callback(error, null);
      if (!isSecure) {
        boundAnswers(below, below);
        return callback(null, below);
      }
      const leftMs = Math.max(0, begunMs + timeoutMs - performance.now());
      const end = setTimeout(() => below.destroy(new errors.ConnectTimeoutError()), leftMs);
      connect({ ...options, httpSocket: below }, (...secured) => {
        clearTimeout(end);
        if (secured[0] === null) boundAnswers(secured[1], below);
        callback(...secured);
      });
    });
  };
}

function createLookup(resolve: Resolve, local: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new DnsFailure(), '');
        if (!addresses.every((address) => mayConnectTo(address, local))) return callback(new AddressRefused(), '');
        if (options.all !== true) return callback(null, first, isIP(first));
        const used = (family: number) =>
          addresses.filter((address) => isIP(address) === family).slice(0, ADDRESSES_USED);
        callback(
          null,
          [4, 6].flatMap((family) => used(family).map((address) => ({ address, family }))),
        );
      },
      () => callback(new DnsFailure(), ''),
    );
  };
}
