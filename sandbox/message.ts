import type { Person } from './person.ts';

/** A message that was taken. */
export interface Message {
  id: string;
  phoneNumberId: string;
  person: Person;
  callbackData: string | undefined;
  /** The category that is charged. */
  category: string;
}
