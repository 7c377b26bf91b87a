import { parseJson } from '../decode/json.ts';

/** The provider's tokens are longer, and words that an answer may hold for a reason of its own are shorter. */
const SECRET_LENGTH_MIN = 20;
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Takes the access token out of an answer's texts: customers see the provider's errors, and one may repeat what it was
 * sent. The answer stays as readable as it was even with a token such as "id" or "messages", which the sandbox accepts:
 * names of members stay, and a short token goes from errors only.
 */
export function withoutToken(text: string, accessToken: string): string {
  // A token with a slash may be escaped in the text, so that only a text without escapes can be told at once.
  if (accessToken === '' || !(text.includes(accessToken) || text.includes('\\'))) return text;
  const parsed = parseJson(text);
  if (parsed.kind === 'not_json') return text.replaceAll(accessToken, '[removed]');
  if (accessToken.length < SECRET_LENGTH_MIN && !isError(parsed.value)) return text;
  return text.replace(STRING, (whole, string: string, colon?: string) =>
    colon === undefined ? cleaned(string, accessToken) : whole,
  );
}

function isError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body;
}

/** Without its escapes, or a token of a quote or a backslash would leave something that is no string. */
function cleaned(string: string, accessToken: string): string {
  return JSON.stringify(String(JSON.parse(string)).replaceAll(accessToken, '[removed]'));
}
