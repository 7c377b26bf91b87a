/** Places that accounts share: how many there are at once on one gateway, and how many of them one account may hold. */
export interface Room {
  /** Takes a place, if there is one: `account_full`, the account holds as many as one may; `full`, too many of all hold one. */
  enter(accountId: string): 'entered' | 'account_full' | 'full';
  leave(accountId: string): void;
}

export interface RoomLimits {
  placesMax: number;
  /** Of one account, whatever the others hold. */
  ofAccountMax: number;
}

/** The last one in so many places is for accounts with less than an even share. */
const KEPT_ONE_OF = 8;

/**
 * In the last eighth of the room nobody gets more than an even share: the floods of some accounts, or what hangs of theirs, is
 * refused while others are still taken.
 */
export function createRoom({ placesMax, ofAccountMax }: RoomLimits): Room {
  const kept = Math.floor(placesMax / KEPT_ONE_OF);
  const ofAccount = new Map<string, number>();
  let all = 0;

  /** A share is counted with one account more than are here, so that the next one to come finds some. */
  function hasPlaceFor(own: number): boolean {
    const free = placesMax - all;
    return free > kept || (free > 0 && own < placesMax / (ofAccount.size + 1));
  }

  return {
    enter(accountId) {
      const own = ofAccount.get(accountId) ?? 0;
      if (own >= ofAccountMax) return 'account_full';
      if (!hasPlaceFor(own)) return 'full';
      all += 1;
      ofAccount.set(accountId, own + 1);
      return 'entered';
    },
    leave(accountId) {
      const own = ofAccount.get(accountId) ?? 0;
      all -= 1;
      if (own <= 1) ofAccount.delete(accountId);
      else ofAccount.set(accountId, own - 1);
    },
  };
}
