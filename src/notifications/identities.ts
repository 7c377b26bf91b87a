import type { Person } from '../provider/notification.ts';

/**
 * The names under which what is known of a person is kept: number and user id, because a person is looked up by either. A parent
 * user id is none of them. Whoever is looked up by it is looked up by the user ids that it stands for, so it need not be kept a
 * third time. Only where the provider names a person by nothing better, it takes the place of the user id.
 */
export function identities({ phone, userId, parentUserId }: Person): string[] {
  return [phone, userId ?? parentUserId].filter((identity) => identity !== undefined);
}
