import { isIP } from 'node:net';
import { mayConnectTo } from './address-guard.ts';

/**
 * Ports of mail, databases and the like: a POST to them is never an event that somebody wants, and may be read as
 * commands. (SSH, Telnet, mail, DNS, portmapper, NetBIOS, SMB, LDAP, SQL Server, Oracle, NFS, Docker, etcd, MySQL, RDP,
 * PostgreSQL, Redis, Cassandra, Kafka, Elasticsearch, memcached, MongoDB.)
 */
const PORTS_REFUSED = new Set([
  0, 20, 21, 22, 23, 25, 53, 110, 111, 135, 137, 138, 139, 143, 389, 445, 465, 587, 636, 993, 995, 1433, 1434, 1521,
  2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 6379, 9042, 9092, 9200, 9300, 11_211, 27_017, 27_018, 27_019,
]);
const URL_LENGTH_MAX = 2_000;

/** Where an endpoint is, or why its URL is refused, in a sentence for the customer. */
export type UrlReading = { kind: 'target'; url: URL } | { kind: 'refused'; detail: string };

/**
 * Reads the URL of an endpoint and checks its form and, where it names an address, that address. A name is checked when
 * connecting. With `local`, http and loopback are allowed.
 */
export function readEndpointUrl(text: string, local: boolean): UrlReading {
  // What the URL parser would silently drop or turn around.
  if (/[\s\p{Cc}\\]/u.test(text)) return refused('This must not contain spaces, control characters or backslashes.');
  const url = URL.parse(text);
  if (url === null) return refused('This must be an absolute address.');
  if (text.length > URL_LENGTH_MAX || url.href.length > URL_LENGTH_MAX)
    return refused(
      `This must not have more than ${URL_LENGTH_MAX} characters, with what must be written in percent signs.`,
    );
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:'))
    return refused('This must begin with https://.');
  // Whatever number of slashes there is, the parser takes what comes next for the host.
  if (!/^\w+:\/\/[^/?]/.test(text)) return refused('This must be an absolute address.');
  if (url.username !== '' || url.password !== '') return refused('This must not contain a name or password.');
  if (url.hash !== '' || text.includes('#')) return refused('This must not contain a fragment.');
  if (url.port !== '' && PORTS_REFUSED.has(Number(url.port))) return refused(`The port ${url.port} is refused.`);
  const detail = hostFault(text, url.hostname, local);
  return detail === undefined ? { kind: 'target', url } : refused(detail);
}

function refused(detail: string): UrlReading {
  return { kind: 'refused', detail };
}

/** The literal address of a host; undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

/** Names that every system maps to itself (RFC 6761). */
export function isLocalhostName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname);
}

function hostFault(text: string, hostname: string, local: boolean): string | undefined {
  const address = literalAddress(hostname);
  if (address === undefined)
    return isLocalhostName(hostname) && !local ? 'This must lead to a public address.' : undefined;
  if (!mayConnectTo(address, local)) return 'This must lead to a public address.';
  // 134744072, 0x8.8.8.8 and 010.8.8.8 are all addresses to the URL parser, and seldom what somebody meant.
  const [, given = ''] = /^\w+:\/\/([^/?#:]*)/.exec(text) ?? [];
  if (isIP(address) === 4 && given !== address) return 'Write the address with four decimal numbers.';
  return undefined;
}
