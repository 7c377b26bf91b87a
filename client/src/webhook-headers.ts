import { WebhookVerificationError } from './webhook-verification-error.ts';

/** The `Headers` of fetch, the `headers` or `headersDistinct` of Node, or a plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the three headers. Each must be there exactly once. */
export function readWebhookHeaders(headers: WebhookHeaders): { id: string; timestamp: string; signature: string } {
  // In JavaScript, they may have been forgotten, or a framework may call them otherwise.
  const given: unknown = headers;
  if (typeof given !== 'object' || given === null)
    throw new TypeError('headers must be those of the request: a Headers, or an object with their names.');
  return {
    id: readOne(headers, 'webhook-id'),
    timestamp: readOne(headers, 'webhook-timestamp'),
    signature: readOne(headers, 'webhook-signature'),
  };
}

function readOne(headers: WebhookHeaders, name: string): string {
  const values = valuesOf(headers, name);
  if (values.length > 1) throw new WebhookVerificationError('header_repeated', `${name} is there more than once.`);
  const value = values[0]?.trim() ?? '';
  if (value === '') throw new WebhookVerificationError('header_missing', `${name} is missing or empty.`);
  return value;
}

function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (hasGet(headers)) return [headers.get(name)].filter((value) => value !== null);
  return Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

/** Throws unless the timestamp is a time in seconds close to ours, so that nobody can record a webhook and send it again later. */
export function readTimestamp(text: string, clock: { toleranceSeconds: number; nowMs: number }): void {
  if (!/^\d{1,12}$/.test(text))
    throw new WebhookVerificationError(
      'timestamp_malformed',
      'webhook-timestamp must be a whole number of seconds since 1970.',
    );
  const ageSeconds = Math.floor(clock.nowMs / 1_000) - Number(text);
  const bound = `and ${clock.toleranceSeconds} are accepted.`;
  if (ageSeconds > clock.toleranceSeconds)
    throw new WebhookVerificationError('timestamp_too_old', `webhook-timestamp is ${ageSeconds} seconds old, ${bound}`);
  if (ageSeconds < -clock.toleranceSeconds)
    throw new WebhookVerificationError(
      'timestamp_in_future',
      `webhook-timestamp is ${-ageSeconds} seconds in the future, ${bound}`,
    );
}

/** The signatures of version 1, in base64. As the standard says, those of other versions are left out. */
export function readSignatures(header: string): string[] {
  const parts = header.split(/\s+/).map((part) => /^([^,]+),(.+)$/.exec(part));
  const known = parts.filter((part) => part?.[1] === 'v1');
  const signatures = known
    .map((part) => part?.[2] ?? '')
    .filter((text) => /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text));
  if (signatures.length > 0) return signatures;
  if (known.length === 0 && parts.every((part) => part !== null))
    throw new WebhookVerificationError(
      'signature_version_unknown',
      'webhook-signature has none that begins with "v1,".',
    );
  throw new WebhookVerificationError(
    'signature_malformed',
    'In webhook-signature stands "v1," and the 32 bytes of the signature in base64.',
  );
}
