import { timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { jsonFaults } from '../kernel/json-faults.ts';
import { bytesOfSecret, signContent } from './deliver/sign.ts';

/** The public libraries refuse what is further from their own clock, in both directions. */
const TOLERANCE_SECONDS = 300;
const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
type Name = (typeof NAMES)[number];
const IS_KNOWN = /^webhook-(?:id|timestamp|signature)$/i;

/** What may be wrong with a signature. */
export const PROBLEM_CODES = [
  'header_missing',
  'header_repeated',
  'timestamp_malformed',
  'timestamp_too_old',
  'timestamp_in_future',
  'signature_malformed',
  'signature_version_unknown',
  'secret_in_signature',
  'secret_not_decoded',
  'content_incomplete',
  'previous_secret',
  'body_changed',
  'signature_mismatch',
] as const;

export interface Problem {
  code: (typeof PROBLEM_CODES)[number];
  detail: string;
}

export interface GivenHeaders {
  values: Partial<Record<Name, string>>;
  problems: Problem[];
}

/** The three headers, whatever the case of their names, and which of them are missing or given twice. */
export function readHeaders(given: Record<string, string | string[]>): GivenHeaders {
  const values: GivenHeaders['values'] = {};
  const problems: Problem[] = [];
  // There may be a megabyte of other headers, which are gone through once.
  const known = Object.keys(given).filter((key) => IS_KNOWN.test(key));
  for (const name of NAMES) {
    const all = known.flatMap((key) => (key.toLowerCase() === name ? (given[key] ?? []) : []));
    const [first] = all;
    if (all.length > 1) problems.push({ code: 'header_repeated', detail: `${name} was given ${all.length} times.` });
    else if (first === undefined || first.trim() === '')
      problems.push({ code: 'header_missing', detail: `${name} is missing or empty.` });
    else values[name] = first.trim();
  }
  return { values, problems };
}

export interface SignatureCheck {
  headers: GivenHeaders;
  /** As the customer has it. */
  body: string;
  /** As we sent it under this id, if that is known. */
  sentBody: string | undefined;
  secret: string;
  /** The secret before, and whether it still signs. */
  previous: { secret: string; valid: boolean } | null;
  nowMs: number;
}

export interface SignatureFinding {
  /** Whether it verifies. A secret that stands beside a right signature is a problem all the same. */
  valid: boolean;
  problems: Problem[];
}

/** What is wrong with a signature. Nothing in it tells what would be right. */
export function checkSignature(check: SignatureCheck): SignatureFinding {
  const { values, problems } = check.headers;
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = values;
  const found = [...problems];
  if (timestamp !== undefined) found.push(...timestampProblems(timestamp, check.nowMs));
  const wrong = (...more: Problem[]) => ({ valid: false, problems: [...found, ...more] });
  if (signature === undefined) return wrong();
  const { signatures, problems: ofForm } = readSignatures(signature);
  if (id === undefined || timestamp === undefined || signatures.length === 0) return wrong(...ofForm);
  const matches = (secret: string, content: string) => isAmong(signatures, bytesOfSecret(secret), content);
  const matchesNow = (content: string) =>
    matches(check.secret, content) || (check.previous?.valid === true && matches(check.previous.secret, content));
  if (!matchesNow(`${id}.${timestamp}.${check.body}`))
    return wrong(...ofForm, explainMismatch(check, { id, timestamp, signatures, matches, matchesNow }));
  const leaked = ofForm.filter(({ code }) => code === 'secret_in_signature');
  return { valid: found.length === 0, problems: [...found, ...leaked] };
}

function timestampProblems(timestamp: string, nowMs: number): Problem[] {
  if (/^\d{13}$/.test(timestamp))
    return [{ code: 'timestamp_malformed', detail: 'webhook-timestamp is in milliseconds; it must be in seconds.' }];
  if (!/^\d{1,12}$/.test(timestamp))
    return [{ code: 'timestamp_malformed', detail: 'webhook-timestamp must be a whole number of seconds since 1970.' }];
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  if (ageSeconds > TOLERANCE_SECONDS)
    return [
      {
        code: 'timestamp_too_old',
        detail: `webhook-timestamp is ${ageSeconds} seconds old, and ${TOLERANCE_SECONDS} are accepted: check it when the event arrives.`,
      },
    ];
  if (ageSeconds < -TOLERANCE_SECONDS)
    return [
      {
        code: 'timestamp_in_future',
        detail: `webhook-timestamp is ${-ageSeconds} seconds in the future, and ${TOLERANCE_SECONDS} are accepted.`,
      },
    ];
  return [];
}

/** The signatures of version 1 in the header, and what is wrong with the others, each once. */
function readSignatures(header: string): { signatures: string[]; problems: Problem[] } {
  const signatures: string[] = [];
  const problems: Problem[] = [];
  for (const part of header.split(/\s+/)) {
    const [, version, text = ''] = /^([^,]*),(.*)$/s.exec(part) ?? [];
    if (part.includes('whsec_'))
      problems.push({
        code: 'secret_in_signature',
        detail:
          'There is a secret (whsec_...) where a signature should be. Keep secrets to yourself, and rotate this one.',
      });
    else if (version === undefined)
      problems.push({ code: 'signature_malformed', detail: 'A signature has the form "v1," and base64.' });
    else if (version !== 'v1')
      problems.push({
        code: 'signature_version_unknown',
        detail: 'Only signatures that begin with "v1," are checked.',
      });
    else if (!/^[A-Za-z0-9+/]{43}=$/.test(text))
      problems.push({ code: 'signature_malformed', detail: malformed(text) });
    else signatures.push(text);
  }
  return { signatures, problems: [...new Map(problems.map((problem) => [problem.detail, problem])).values()] };
}

function malformed(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return 'The signature is in hexadecimal; it must be in base64.';
  if (/^[A-Za-z0-9_-]{43}=?$/.test(text)) return 'The signature is in the URL form of base64, or lacks its final "=".';
  return 'After "v1," there must be the 32 bytes of the signature in base64, 44 characters.';
}

interface Mismatch {
  id: string;
  timestamp: string;
  signatures: string[];
  matches(secret: string, content: string): boolean;
  matchesNow(content: string): boolean;
}

function explainMismatch({ body, sentBody, secret, previous }: SignatureCheck, mismatch: Mismatch): Problem {
  const { id, timestamp, signatures, matches, matchesNow } = mismatch;
  const content = (text: string) => `${id}.${timestamp}.${text}`;
  if (previous?.valid === false && matches(previous.secret, content(body)))
    return { code: 'previous_secret', detail: 'It was made with the secret before the rotation, which has expired.' };
  const changed = bodiesLike(body, sentBody).find(({ text }) => matchesNow(content(text)));
  if (changed !== undefined) return { code: 'body_changed', detail: changed.detail() };
  if (wrongKeys(secret).some((key) => isAmong(signatures, key, content(body))))
    return {
      code: 'secret_not_decoded',
      detail: 'It was made with the text of the secret: the key is what follows "whsec_", decoded from base64.',
    };
  if ([body, `${timestamp}.${body}`, `${id}.${body}`].some((text) => matchesNow(text)))
    return {
      code: 'content_incomplete',
      detail: 'What is signed is the id, the timestamp and the body, with full stops between.',
    };
  return {
    code: 'signature_mismatch',
    detail:
      'No signature fits this id, timestamp and body with the secret of this endpoint: one of the four is not what was sent.',
  };
}

/** Told only of the one that fits: to find the words may cost more than to look whether it does. */
interface OtherBody {
  text: string;
  detail(): string;
}

/** What the body may have been before something on the customer's side changed it. */
function bodiesLike(body: string, sentBody: string | undefined): OtherBody[] {
  const parsed = parseJson(body);
  const bodies = [
    { text: `${body}\n`, detail: () => 'The line break at the end of the body was lost.' },
    { text: body.trim(), detail: () => 'The body has spaces or line breaks around it that were not sent.' },
    { text: body.replaceAll('\r\n', '\n'), detail: () => 'The line breaks in the body were changed.' },
    ...(parsed === undefined ? [] : [{ text: JSON.stringify(parsed), detail: () => REWRITTEN }]),
  ];
  if (sentBody === undefined) return bodies;
  const isSameJson = () => parsed !== undefined && isDeepStrictEqual(parsed, parseJson(sentBody));
  return [
    ...bodies,
    {
      text: sentBody,
      detail: () => (isSameJson() ? REWRITTEN : 'This is not the body that was sent under this id.'),
    },
  ];
}

const REWRITTEN =
  'The body is the same JSON in other bytes: it was parsed and written again. Verify the bytes as they came.';

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // Nothing of ours nests so deeply that writing it again could exhaust the stack.
    return jsonFaults(value).length === 0 ? value : undefined;
  } catch {
    return undefined; // What is no JSON was not rewritten as JSON.
  }
}

/** The usual mistakes: the secret as text, with its prefix and without. */
function wrongKeys(secret: string): Buffer[] {
  return [Buffer.from(secret), Buffer.from(secret.replace(/^whsec_/, ''))];
}

/** Signs once, however many signatures there are: what is signed may be a megabyte. */
function isAmong(signatures: readonly string[], key: Buffer, content: string): boolean {
  const right = signContent(key, content);
  return signatures.some((given) => isSameText(given, right));
}

function isSameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
