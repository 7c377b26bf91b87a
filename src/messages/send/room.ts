/** How many sends one gateway carries out at once, and how many of them for one account. */
export interface Room {
  /** False: there is no room for another send of this account. */
  enter(accountId: string): boolean;
  leave(accountId: string): void;
}

/** The last one in so many places is for accounts with less than an even share. */
const KEPT_ONE_OF = 8;

/**
 * One account gets half of the room at most, and in the last eighth of it nobody gets more than an even share: the floods of
 * some, or sends of theirs that hang, are refused while the others' are still taken.
 */
export function createRoom(sendsMax: number): Room {
  const ofAccountMax = Math.ceil(sendsMax / 2);
  const kept = Math.floor(sendsMax / KEPT_ONE_OF);
  const ofAccount = new Map<string, number>();
  let all = 0;

  /** A share is counted with one account more than are here, so that the next one to come finds some. */
  function mayHold(own: number): boolean {
    if (own >= ofAccountMax) return false;
    const free = sendsMax - all;
    return free > kept || (free > 0 && own < sendsMax / (ofAccount.size + 1));
  }

  return {
    enter(accountId) {
      const own = ofAccount.get(accountId) ?? 0;
      if (!mayHold(own)) return false;
      all += 1;
      ofAccount.set(accountId, own + 1);
      return true;
    },
    leave(accountId) {
      const own = ofAccount.get(accountId) ?? 0;
      all -= 1;
      if (own <= 1) ofAccount.delete(accountId);
      else ofAccount.set(accountId, own - 1);
    },
  };
}
