import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, Pool } from 'undici';
import { closeAtFault } from '../../kernel/close-at-fault.ts';
import { eachAddressWithin } from '../../kernel/each-address.ts';
import { connectInTwoSteps } from '../../kernel/two-step-connector.ts';
import { boundAnswers } from './bound-answers.ts';
import { type CheckedAddresses, createCheckedAddresses } from './checked-addresses.ts';
import { connectByCheckedTunnel } from './checked-tunnel.ts';
import type { Resolve } from './resolve.ts';

/** An idle connection is left before the other side would close it; its own hint wins, less a margin. */
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MARGIN_MS = 2_000;
const KEEP_ALIVE_MAX_MS = 60_000;
/** Silent ones of a name, within the time for connecting. */
const ADDRESSES_TRIED = 3;
/** As much as an answer may have of body; Node's 16 KiB are soon filled by cookies and policies. */
const HEADER_BYTES_MAX = 64 << 10;

interface GuardedAgentOptions {
  /** To loopback too. */
  local: boolean;
  timeoutMs: number;
  /** The HTTP proxy through which all but this machine is reached. */
  proxyUrl?: string | undefined;
}

/**
 * Connections to customers' servers. Every address of a name is checked in the look-up of the connection itself, so the
 * address that was checked is the one that is used; a name with one refused address is refused altogether. A literal
 * address passes no look-up: `readEndpointUrl` checks it before each attempt.
 */
export function createGuardedAgent(resolve: Resolve, { local, timeoutMs, proxyUrl }: GuardedAgentOptions): Agent {
  const addresses = createCheckedAddresses(resolve, local);
  const connect = closeAtFault(
    buildConnector({
      lookup: asLookup(addresses),
      timeout: timeoutMs,
      ...eachAddressWithin(timeoutMs, ADDRESSES_TRIED),
      allowH2: false,
    }),
  );
  const open =
    proxyUrl === undefined ? connect : connectByCheckedTunnel({ proxyUrl, addresses, direct: connect, timeoutMs });
  return new Agent({
    factory: createForgettablePool,
    // TLS is put on a connection that stands, so that all that comes on it can be counted.
    connect: connectInTwoSteps({ open, secure: connect, timeoutMs, made: boundAnswers }),
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

/** Node asks for all addresses of a name, because they are tried one after another (`eachAddressWithin`). */
function asLookup(addressesOf: CheckedAddresses): LookupFunction {
  return (hostname, _options, callback) => {
    addressesOf(hostname).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
}
