import type { ChannelTarget } from '../channels/store.ts';
import type { ParentUserId } from '../people/parent-store.ts';
import type { Preference } from '../people/preference-store.ts';
import type { Contact } from '../people/window-store.ts';
import type { Person, UserPreferenceItem } from '../provider/notification.ts';
import { identities } from './identities.ts';

/** A sign of life of this person towards the channel, under each of the names that the provider gave. */
export function contactsOf(person: Person, target: ChannelTarget, at: Date): Contact[] {
  const { account_id: accountId, id: channelId } = target;
  return identities(person).map((identity) => ({ accountId, channelId, person: identity, at }));
}

/** What a person has said of marketing messages, under each of the names that the provider gave. */
export function preferencesOf(
  { person, value, at }: UserPreferenceItem,
  target: ChannelTarget,
  receivedAt: Date,
): Preference[] {
  const { account_id: accountId, mode, business_account_id: businessAccountId } = target;
  const word = { accountId, mode, businessAccountId, stopped: value === 'stop' };
  const when = { at: saidAt(at, receivedAt), timed: at !== undefined };
  const { phone, userId } = person;
  return identities(person).map((identity) => ({
    ...word,
    ...when,
    person: identity,
    other: otherOf(identity, phone, userId),
  }));
}

/** The person's other name. A parent user id has none, and is nobody's: that of a number is the user id, which an earlier word may have told. */
function otherOf(identity: string, phone: string | undefined, userId: string | undefined): string | null {
  if (identity === phone) return userId ?? null;
  return identity === userId ? (phone ?? null) : null;
}

/**
 * How far a node's clock may be behind without harm. An operator is warned long before (`node.clock_differs`), and a time that is ahead
 * by no more does little harm if it is wrong.
 */
const BEHIND_MAX_MS = 3_600_000;

/**
 * When a person wrote, called, stopped or resumed, as the provider says. A time far ahead would keep a window open until then, and no
 * later word could take a stop back, so it is taken for the time at which we were told. A time that is only a little ahead says that our
 * clock is behind. With our own time a stop would then count as said before a resume that another node was told of. The provider tells
 * whole seconds, so ours are cut to them: a word of the same second must not count as earlier.
 */
export function saidAt(at: Date | undefined, receivedAt: Date): Date {
  if (at !== undefined && at.getTime() <= receivedAt.getTime() + BEHIND_MAX_MS) return at;
  return new Date(Math.floor(receivedAt.getTime() / 1_000) * 1_000);
}

/** That a parent user id stands for the person too, if the provider gave both. */
export function parentsOf({ userId, parentUserId }: Person, target: ChannelTarget, at: Date): ParentUserId[] {
  if (userId === undefined || parentUserId === undefined) return [];
  return [{ accountId: target.account_id, mode: target.mode, parentUserId, userId, at }];
}
