import { buildConnector } from 'undici';
import { closeAtFault } from '../../../kernel/close-at-fault.ts';
import { eachAddressWithin } from '../../../kernel/each-address.ts';
import { sharedLookup } from '../../../kernel/shared-lookup.ts';
import { openTunnel } from '../../../kernel/tunnel.ts';
import { connectInTwoSteps } from '../../../kernel/two-step-connector.ts';

/** A provider that does not accept a connection within this time counts as unreachable. */
const CONNECT_TIMEOUT_MS = 5_000;
/** How many addresses are tried within that time if each stays silent. */
const ADDRESSES_TRIED = 2;

interface ConnectorOptions {
  /** How long one call may take; no connection takes longer. */
  timeoutMs: number;
  /** The HTTP proxy through which the provider is reached. It is given the name, and finds the address. */
  proxyUrl?: string | undefined;
}

/** How undici connects to the provider. */
export function createConnector({ timeoutMs: callTimeoutMs, proxyUrl }: ConnectorOptions): buildConnector.connector {
  const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, callTimeoutMs);
  const eachAddress = eachAddressWithin(timeoutMs, ADDRESSES_TRIED);
  const direct = closeAtFault(
    buildConnector({ timeout: timeoutMs, ...eachAddress, lookup: sharedLookup, allowH2: false }),
  );
  if (proxyUrl === undefined) return direct;
  return connectInTwoSteps({ open: connectByProxy(proxyUrl, timeoutMs), secure: direct, timeoutMs });
}

function connectByProxy(proxyUrl: string, timeoutMs: number): buildConnector.connector {
  return ({ hostname, port }, callback) => {
    openTunnel({ proxyUrl, hostname, port, timeoutMs }).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
