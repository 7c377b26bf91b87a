/** Places that accounts share: how many there are at once on one gateway, and how many of them one account may hold. */
export interface Room {
  /**
   * Takes so many places, 1 unless told, or none. `account_full`: the account would hold more than one account may. `full`: all
   * accounts together would hold more than there are, or this one more than its share of the last ones.
   */
  enter(accountId: string, places?: number): 'entered' | 'account_full' | 'full';
  /** Gives back as many places as were taken. */
  leave(accountId: string, places?: number): void;
}

export interface RoomLimits {
  /** Infinity where only each account has a limit. */
  placesMax: number;
  /** Of one account, whatever the others hold. */
  ofAccountMax: number;
}

/** The last one in so many places is for accounts with less than an even share. */
const KEPT_ONE_OF = 8;

/**
 * In the last eighth of the room no account gets more than an even share. So an account that floods the room, or whose work hangs in
 * it, is refused while others are still let in.
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
