interface Silence {
  /** How a sentence goes on that says that there was no answer. */
  reason: string;
  /** What to do, in a sentence. */
  advice: string;
  /** Something was reached, and Node knows nobody who vouches for its certificate. */
  untrusted: boolean;
}

const AWAY = 'Is the gateway running? Start one with "npm start", or name another with --url.';
const TRUST =
  "If you trust it, name its authority's certificate, or its own if it has signed itself: NODE_EXTRA_CA_CERTS=ca.pem npx waypost ... A gateway for others needs one of a public authority, with the whole chain.";

/** What Node and OpenSSL call it where nobody known has signed: itself, an authority of one's own, or one that was not sent along. */
const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** The others that a person can do something about, each with its advice if the gateway is not simply away. */
const KNOWN: Record<string, { reason: string; advice?: string }> = {
  ECONNREFUSED: { reason: 'the connection was refused' },
  ECONNRESET: { reason: 'the connection broke' },
  UND_ERR_SOCKET: { reason: 'the connection broke' },
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

/** Why a call got no answer, and what to do about it, from what `fetch` has thrown. */
export function explainSilence(error: unknown): Silence {
  const cause = error instanceof Error ? error.cause : undefined;
  const code: unknown = Reflect.get(Object(cause), 'code');
  if (typeof code !== 'string') return { reason: messageOf(cause ?? error), advice: AWAY, untrusted: false };
  if (UNTRUSTED.includes(code))
    return { reason: `its certificate is not trusted here (${code})`, advice: TRUST, untrusted: true };
  const { reason, advice = AWAY } = KNOWN[code] ?? { reason: code };
  return { reason, advice, untrusted: false };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
