import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { openTunnel, TunnelRefused } from '../../kernel/tunnel.ts';
import { mayConnectTo } from './address-guard.ts';
import { type CheckedAddresses, DnsFailure } from './checked-addresses.ts';
import { literalAddress } from './url.ts';

interface CheckedTunnel {
  proxyUrl: string;
  addresses: CheckedAddresses;
  /** Connects to this machine, to which no proxy leads. */
  direct: buildConnector.connector;
  timeoutMs: number;
}

/**
 * How undici connects to customers' servers by a proxy. It is given an address that was checked here, and never a name: it might find
 * another address for that. A literal address was checked before (`readEndpointUrl`).
 */
export function connectByCheckedTunnel({ direct, ...tunnel }: CheckedTunnel): buildConnector.connector {
  return (options, callback) => {
    open(tunnel, options).then(
      (socket) => (socket === 'here' ? void direct(options, callback) : callback(null, socket)),
      (error: Error) => callback(error, null),
    );
  };
}

/** A connection to one of the addresses; `here` if one of them is on this machine. */
async function open(
  { proxyUrl, addresses, timeoutMs }: Omit<CheckedTunnel, 'direct'>,
  { hostname, port }: buildConnector.Options,
): Promise<Socket | 'here'> {
  const endMs = performance.now() + timeoutMs;
  const literal = literalAddress(hostname);
  const found = literal === undefined ? (await addresses(hostname)).map(({ address }) => address) : [literal];
  if (!found.every((address) => mayConnectTo(address, false))) return 'here';
  let refused: TunnelRefused | undefined;
  for (const address of found) {
    const leftMs = Math.max(1, Math.ceil(endMs - performance.now()));
    try {
      return await openTunnel({ proxyUrl, hostname: address, port, timeoutMs: leftMs });
    } catch (error) {
      // It may reach the next one. Whatever else is wrong is wrong with the proxy.
      if (!(error instanceof TunnelRefused)) throw error;
      refused = error;
    }
  }
  throw refused ?? new DnsFailure();
}
