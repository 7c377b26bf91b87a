import type { MessageFilter } from './message-list.ts';

/** What the search asks for: one message, all messages with some value, or nothing. */
export type Search =
  | { kind: 'nothing' }
  | { kind: 'message'; id: string }
  | { kind: 'filter'; by: NonNullable<MessageFilter['search']>; words: string };

const NUMBER = /^\+?[0-9][0-9 ().-]{5,30}$/;
/** A number that was copied may have these around it or in it: marks for the direction of text, and several kinds of spaces. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SPACES = /\p{Zs}/gu;
const USER_ID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Reads what was typed into the search field. `words` says what is searched for, in a person's words. */
export function readSearch(typed: string): Search {
  const value = typed.trim();
  if (value === '') return { kind: 'nothing' };
  if (/^msg_[0-9a-z]{26}$/.test(value)) return { kind: 'message', id: value };
  if (/^req_[0-9a-z]{26}$/.test(value)) return by('request_id', value, 'of this request');
  if (/^wamid\./.test(value)) return by('message_id', value, "with this id of the provider's");
  if (USER_ID.test(value)) return by('person', value, 'to or from this person');
  const number = value.replace(DIRECTION_MARKS, '').replace(SPACES, ' ').trim();
  if (number.startsWith('+') && NUMBER.test(number))
    return by('person', `+${number.replace(/[^0-9]/g, '')}`, 'to or from this number');
  return by('client_reference', value, 'with this client reference');
}

function by(member: NonNullable<MessageFilter['search']>['member'], value: string, words: string): Search {
  return { kind: 'filter', by: { member, value }, words };
}
