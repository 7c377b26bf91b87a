import { isRecord } from '../../kernel/is-record.ts';
import type { ProviderError } from '../../kernel/message-errors.ts';

/** Enough for the provider's longest known explanations; what is longer is no explanation. */
const TEXT_CHARACTERS_MAX = 300;

/** How much of a text is looked at, so that the patterns below never run over a whole large answer. */
const TEXT_CHARACTERS_READ = 2_000;

/**
 * What the provider said of a failure, from the `error` of an answer or one of the `errors` of a notification (there
 * `title` may stand beside `message`, and old ones have nothing else). Undefined if it said nothing that can be read.
 * Customers see the result, and the provider may repeat in its texts what it was sent: so whatever could be an access
 * token, a phone number or a user id is taken out.
 */
export function readProviderError(error: unknown): ProviderError | undefined {
  if (!isRecord(error)) return undefined;
  const read: ProviderError = {};
  const { code, error_data: extra } = error;
  // Codes are whole numbers, and ours are described so. JSON also knows numbers that are infinite to us, such as 1e999.
  if (typeof code === 'number' && Number.isSafeInteger(code)) read.code = code;
  const title = plainText(error.title) ?? plainText(error.message) ?? plainText(error.error_user_title);
  if (title !== undefined) read.title = title;
  // error_data is an object in errors of messages and a plain string in some general ones.
  const told = plainText(isRecord(extra) ? extra.details : extra);
  const details = told ?? plainText(error.details) ?? plainText(error.error_user_msg);
  if (details !== undefined) read.details = details;
  const traceId = error.fbtrace_id;
  if (typeof traceId === 'string' && /^[\w+/=:.-]{1,100}$/.test(traceId)) read.trace_id = traceId;
  return Object.keys(read).length === 0 ? undefined : read;
}

function plainText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  let text = value.slice(0, TEXT_CHARACTERS_READ);
  for (const pattern of PRIVATE) text = text.replace(pattern, '[removed]');
  // PostgreSQL can keep neither U+0000 nor half a surrogate pair, and a text for people needs no other control either.
  text = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  if (text.length > TEXT_CHARACTERS_MAX) text = `${text.slice(0, TEXT_CHARACTERS_MAX - 1)}…`;
  return text === '' ? undefined : text.toWellFormed();
}

/** What never belongs into a text for a customer; each pattern reads every character a bounded number of times. */
const PRIVATE: readonly RegExp[] = [
  // "Bearer ...", "access_token=..."
  /\bbearer\s+\S+/gi,
  /\b(?:access_token|input_token|appsecret_proof)["']?\s*[=:]\s*\S+/gi,
  // A long run of letters and digits mixed: tokens, hashes, message ids. Words and template names have no such runs.
  /(?<![A-Za-z0-9])(?=[A-Za-z]{0,64}[0-9])[A-Za-z0-9]{24,}/g,
  // A business-scoped user id: a country, a dot, an id with at least one digit.
  /\b[A-Z]{2}\.(?:ENT\.)?(?=[A-Za-z]{0,128}[0-9])[A-Za-z0-9]{1,128}/g,
  // Seven digits or more, also parted as people part phone numbers. "(#2494100)" is an error code.
  /(?<![#\d])\+?\(?\d(?:[ .()/-]{0,3}\d){6,}/g,
];
