/** Places that accounts share: how many there are at once on one gateway, and how many of them one account may hold. */
export interface Room {
  /**
   * Takes so many places, 1 unless told, if there are as many: `account_full`, the account would hold more than one may; `full`,
   * all of them together would.
   */
  enter(accountId: string, places?: number): 'entered' | 'account_full' | 'full';
  /** Gives back as many places as were taken. */
  leave(accountId: string, places?: number): void;
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
  function hasRoomFor(held: number, places: number): boolean {
    const freeThen = placesMax - all - places;
    return freeThen >= kept || (freeThen >= 0 && held <= Math.ceil(placesMax / (ofAccount.size + 1)));
  }

  return {
    enter(accountId, places = 1) {
      const held = (ofAccount.get(accountId) ?? 0) + places;
      if (held > ofAccountMax) return 'account_full';
      if (!hasRoomFor(held, places)) return 'full';
      all += places;
      ofAccount.set(accountId, held);
      return 'entered';
    },
    leave(accountId, places = 1) {
      const held = (ofAccount.get(accountId) ?? 0) - places;
      all -= places;
      if (held <= 0) ofAccount.delete(accountId);
      else ofAccount.set(accountId, held);
    },
  };
}
