/** Random draws that are the same for the same seed. */
export interface Draw {
  /** A whole number from 0 on and below the limit. */
  below(limit: number): number;
  between(min: number, max: number): number;
  chance(share: number): boolean;
  pick<Value>(list: readonly Value[]): Value;
}

/** Mulberry32: small, and even enough to choose faults with. Each `purpose` gives its own sequence of draws from the same seed. */
export function createDraw(seed: number, purpose = ''): Draw {
  let state = hash(`${seed} ${purpose}`);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: (share) => next() < share,
    pick(list) {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new RangeError('There is nothing to pick from');
      return picked;
    },
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const unit of text) value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return value;
}
