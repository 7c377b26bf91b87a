/** How many sends one gateway carries out at once, and how many of them for one account. */
export interface Room {
  /** False: there is no room for another send of this account. */
  enter(accountId: string): boolean;
  leave(accountId: string): void;
}

/** One account gets half of the room at most: its flood is refused while the others' sends are still taken. */
export function createRoom(sendsMax: number): Room {
  const ofAccountMax = Math.ceil(sendsMax / 2);
  const ofAccount = new Map<string, number>();
  let all = 0;
  return {
    enter(accountId) {
      const own = ofAccount.get(accountId) ?? 0;
      if (all >= sendsMax || own >= ofAccountMax) return false;
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
