import { isIPv6, Socket } from 'node:net';
import { buildConnector, Client, errors } from 'undici';
import { closeAtFault } from './close-at-fault.ts';
import { eachAddressWithin } from './each-address.ts';
import { sharedLookup } from './shared-lookup.ts';

/** As in the settings: `http://[user:password@]host[:port]`, or https. */
export interface Tunnel {
  proxyUrl: string;
  hostname: string;
  port: string;
  /** For all of it: the connection to the proxy, and its answer. */
  timeoutMs: number;
}

/** The proxy did not make the connection. */
export class TunnelRefused extends Error {
  /** With the proxy's status: 407 if it asks for another user or password. `CLOSED`: it hung up without one. */
  readonly code: string;

  constructor(answer: number | 'CLOSED') {
    super('The proxy did not make the connection');
    this.code = `PROXY_${answer}`;
  }
}

const OK = 200;
/** A proxy may answer with any of them (RFC 9110, 9.3.6). */
const OK_MAX = 299;
/** Addresses of the proxy, within the time. */
const ADDRESSES_TRIED = 2;

/**
 * Has an HTTP proxy make a connection (https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6), on which nothing has been written yet.
 * Rejects with a `TunnelRefused`, or with undici's error if the proxy could not be reached or did not answer in time.
 */
export async function openTunnel({ proxyUrl, hostname, port, timeoutMs }: Tunnel): Promise<Socket> {
  const { origin, username, password } = new URL(proxyUrl);
  // One for each connection: once the proxy has agreed, the connection is no longer the client's.
  const client = new Client(origin, { connect: connectToProxy(timeoutMs) });
  const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = user === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
  const time = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { host: authority, ...authorization };
    const { statusCode, socket } = await client.connect({ path: authority, headers, signal: time });
    // undici's types do not say which kind of stream its own connection is.
    if (statusCode >= OK && statusCode <= OK_MAX && socket instanceof Socket) return socket;
    socket.on('error', () => undefined).destroy();
    throw new TunnelRefused(statusCode);
  } catch (error) {
    void client.destroy();
    if (time.aborted) throw new errors.ConnectTimeoutError();
    // undici takes this error of a connector for a passing one: it would connect again at once, as often as it can, and tell nobody.
    throw error instanceof errors.SocketError ? new TunnelRefused('CLOSED') : error;
  }
}

function connectToProxy(timeoutMs: number): buildConnector.connector {
  const timeout = { timeout: timeoutMs, ...eachAddressWithin(timeoutMs, ADDRESSES_TRIED) };
  const connect = closeAtFault(buildConnector({ ...timeout, lookup: sharedLookup, allowH2: false }));
  // From the `host` of a request undici takes the name that the certificate must have, and here that is the far side's.
  return ({ servername: _ofFarSide, ...proxy }, callback) => connect(proxy, callback);
}
