import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { isIP } from 'node:net';

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const SUBJECT_ALT_NAME = '551d11';
const COMMON_NAME = '550403';
/** How many certificates of a chain OpenSSL looks at. */
const CHAIN_MAX = 100;

interface KeyAndCertificates {
  key: string;
  cert: string;
}

/**
 * A key and a self-signed certificate for this IPv4 address and these hosts, in PEM. A client trusts it if it takes it for an authority.
 */
export function makeCertificate(address: string, hosts: string[] = []): KeyAndCertificates {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Two certificates must not have the same name, because only one of them would be looked at.
  const name = randomUUID();
  return {
    key: keyText(pair),
    cert: certificateText(pair.publicKey, pair.privateKey, [address, ...hosts], { subject: name, issuer: name }),
  };
}

/** A key and a chain that nobody trusts and that takes long to check: each signature is made with the most expensive curve. */
export function makeExpensiveChain(address: string): KeyAndCertificates {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signing = generateKeyPairSync('ec', { namedCurve: 'sect571r1' });
  const links = Array.from({ length: CHAIN_MAX }, (_, place) => {
    const names = { subject: `Link ${place}`, issuer: `Link ${place + 1}` };
    // TLS does not allow such a curve for the server's own key.
    return certificateText(place === 0 ? pair.publicKey : signing.publicKey, signing.privateKey, [address], names);
  });
  return { key: keyText(pair), cert: links.join('') };
}

function keyText({ privateKey }: { privateKey: KeyObject }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

interface Names {
  subject: string;
  issuer: string;
}

function certificateText(publicKey: KeyObject, issuerKey: KeyObject, owners: string[], names: Names): string {
  const signed = toBeSigned(publicKey, owners, names);
  const signature = bits(sign('sha256', signed, issuerKey));
  const certificate = node(0x30, signed, node(0x30, id(ECDSA_WITH_SHA256)), signature);
  return `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** https://www.rfc-editor.org/rfc/rfc5280#section-4.1 */
function toBeSigned(publicKey: KeyObject, owners: string[], { subject, issuer }: Names): Buffer {
  const version = node(0xa0, node(0x02, Buffer.from([2])));
  const nowMs = Date.now();
  const validity = node(0x30, time(nowMs - DAY_MS), time(nowMs + DAY_MS));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const names = owners.map((owner) =>
    isIP(owner) === 0 ? node(0x82, Buffer.from(owner)) : node(0x87, Buffer.from(owner.split('.').map(Number))),
  );
  const extensions = node(0xa3, node(0x30, node(0x30, id(SUBJECT_ALT_NAME), node(0x04, node(0x30, ...names)))));
  const serial = node(0x02, Buffer.from([1]));
  const algorithm = node(0x30, id(ECDSA_WITH_SHA256));
  return node(0x30, version, serial, algorithm, name(issuer), validity, name(subject), key, extensions);
}

function name(text: string): Buffer {
  return node(0x30, node(0x31, node(0x30, id(COMMON_NAME), node(0x0c, Buffer.from(text)))));
}

/** A value of ASN.1 in DER: its tag, its length, and what it consists of. */
function node(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function id(hex: string): Buffer {
  return node(0x06, Buffer.from(hex, 'hex'));
}

function bits(bytes: Buffer): Buffer {
  return node(0x03, Buffer.from([0]), bytes);
}

function time(ms: number): Buffer {
  return node(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}
