import { E164 } from './phone-number.ts';
import { USER_ID } from './user-id.ts';

/** In some countries a zero at the beginning, or one in brackets, is dialled from abroad too, and in most it is not. */
const FROM_ABROAD = 'write it as it is dialled from abroad, with a plus and the country code';

/**
 * What is most likely wrong with a text that `readPhoneNumber` cannot read, to follow a colon. Nothing of the text is repeated. The
 * gateway does not mend it by itself: what is added or dropped without certainty reaches another person.
 */
export function whyNoNumber(text: string): string {
  if (USER_ID.test(text.trim())) return 'a user id goes into "user_id"';
  const plain = text.replace(/[\p{Zs}\t.\-()[\]]/gu, '');
  if (E164.test(plain)) return FROM_ABROAD;
  if (/^\+?[0-9]+[,;\r\n]/.test(plain)) return 'in an array each number is a text of its own';
  if (/^00[1-9]/.test(plain)) return 'write a plus in place of the first two zeros';
  if (/^\+?0/.test(plain)) return FROM_ABROAD;
  if (/^[0-9]+$/.test(plain)) return 'write a plus before it, and the country code if that is not there';
  if (/^\+[0-9]*$/.test(plain)) return 'write 7 to 15 digits after the plus, the country code included';
  return 'write a plus and 7 to 15 digits, which spaces, dots, hyphens or brackets may part';
}
