import { messageOf } from './message-of.ts';

export interface Silence {
  /** The end of a sentence that says that there was no answer. */
  reason: string;
  /** What to do, in a sentence. */
  advice: string;
  /** Whether something was reached whose certificate is not signed by anybody that Node knows. */
  untrusted: boolean;
  /** Whether a connection never came about, so that nothing can have been done. */
  unconnected: boolean;
}

const AWAY = 'Is the gateway running? Start one with "npm start", or name another with --url.';
const UNREACHABLE =
  'Is the address right, and may this machine reach it? A firewall or a VPN may be in between. Name another with --url.';
const PLAIN = 'A gateway without a certificate has an address that begins with http:// and not with https://.';
const TRUST =
  "If you trust it, name its authority's certificate, or its own if it has signed itself: NODE_EXTRA_CA_CERTS=ca.pem npx waypost ... A gateway for others needs one of a public authority, with the whole chain.";

/**
 * The names that Node and OpenSSL have for a certificate without a known signer: it is signed by itself, by an authority of one's own, or
 * by one that the server did not send along.
 */
const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** The names of failures that come before the first byte of a call. A time-out or an unreachable host may also end a call under way. */
const UNCONNECTED: readonly string[] = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'],
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'],
];

/** The other errors that a person can do something about. Each has its advice, unless that is the one for a gateway that is away. */
const KNOWN: Record<string, { reason: string; advice?: string }> = {
  ECONNREFUSED: { reason: 'the connection was refused' },
  ECONNRESET: { reason: 'the connection broke' },
  UND_ERR_SOCKET: { reason: 'the connection broke' },
  ETIMEDOUT: { reason: 'no connection came about in time', advice: UNREACHABLE },
  UND_ERR_CONNECT_TIMEOUT: { reason: 'no connection came about in time', advice: UNREACHABLE },
  EHOSTUNREACH: { reason: 'no way leads there', advice: UNREACHABLE },
  ENETUNREACH: { reason: 'no way leads there', advice: UNREACHABLE },
  ERR_SSL_WRONG_VERSION_NUMBER: { reason: 'it does not speak TLS', advice: PLAIN },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { reason: 'it does not speak TLS', advice: PLAIN },
  ENOTFOUND: { reason: 'there is no such name', advice: 'Is the address right? Name another with --url.' },
  EAI_AGAIN: {
    reason: 'the DNS did not answer',
    advice: 'The address may be right. Look at the network and the DNS of this machine, and try again.',
  },
  CERT_HAS_EXPIRED: { reason: 'its certificate has expired', advice: 'Whoever runs it must renew the certificate.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another name',
    advice: 'Name it with --url as its certificate does.',
  },
};

/** Why a call got no answer, and what to do about it, from the error that `fetch` has thrown. */
export function explainSilence(error: unknown): Silence {
  const cause = error instanceof Error ? error.cause : undefined;
  const code: unknown = Reflect.get(Object(cause), 'code');
  // `fetch` gives no reason for a 407, whose answer it keeps to itself.
  const told =
    messageOf(cause ?? error) || 'something between refused the call, such as a proxy with a password (HTTP 407)';
  if (typeof code !== 'string') return { reason: told, advice: AWAY, untrusted: false, unconnected: false };
  if (UNTRUSTED.includes(code))
    return {
      reason: `its certificate is not trusted here (${code})`,
      advice: TRUST,
      untrusted: true,
      unconnected: true,
    };
  const { reason, advice = AWAY } = KNOWN[code] ?? { reason: code };
  return { reason, advice, untrusted: false, unconnected: UNCONNECTED.includes(code) };
}
