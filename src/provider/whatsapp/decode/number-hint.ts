const MEMBER = '"phone_number_id"';
/** Room for spaces and for an id, which has some 15 digits. */
const LOOK_BYTES = 64;
const VALUE = /^\s*:\s*"(\d+)"/;

/**
 * The number that a notification is about, or the first of several, read from its bytes without parsing them: a hint for the
 * order of work, and nothing to rely on. Empty if none is found, as in what is about a business account.
 */
export function numberHint(rawBody: Buffer): string {
  const at = rawBody.indexOf(MEMBER);
  if (at === -1) return '';
  const from = at + MEMBER.length;
  return VALUE.exec(rawBody.toString('latin1', from, from + LOOK_BYTES))?.[1] ?? '';
}
