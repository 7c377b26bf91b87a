import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const SUBJECT_ALT_NAME = '551d11';
const COMMON_NAME = '550403';

/** A key and a certificate of its own for this IPv4 address, in PEM: who is to trust it takes it for an authority. */
export function makeCertificate(address: string): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = toBeSigned(publicKey, address);
  const signature = bits(sign('sha256', signed, privateKey));
  const certificate = node(0x30, signed, node(0x30, id(ECDSA_WITH_SHA256)), signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

/** https://www.rfc-editor.org/rfc/rfc5280#section-4.1 */
function toBeSigned(publicKey: KeyObject, address: string): Buffer {
  const version = node(0xa0, node(0x02, Buffer.from([2])));
  // Of two with one name only one would be looked at.
  const name = node(0x30, node(0x31, node(0x30, id(COMMON_NAME), node(0x0c, Buffer.from(randomUUID())))));
  const nowMs = Date.now();
  const validity = node(0x30, time(nowMs - DAY_MS), time(nowMs + DAY_MS));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const names = node(0x30, node(0x87, Buffer.from(address.split('.').map(Number))));
  const extensions = node(0xa3, node(0x30, node(0x30, id(SUBJECT_ALT_NAME), node(0x04, names))));
  const serial = node(0x02, Buffer.from([1]));
  return node(0x30, version, serial, node(0x30, id(ECDSA_WITH_SHA256)), name, validity, name, key, extensions);
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
