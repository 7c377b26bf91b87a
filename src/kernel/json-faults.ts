import type { PointerFault } from './errors.ts';
import { pointerToken } from './json-pointer.ts';

/** Nothing that we accept nests deeper than about ten levels. Much deeper values would exhaust a serialiser's stack. */
const DEPTH_MAX = 32;
/** Nobody mends more faults than this in one go, and a body can be made to hold some hundred thousand. */
const FAULTS_MAX = 100;
const UNSTORABLE = 'U+0000 and lone surrogates are not accepted.';

/** A value and the way to it, which is put into words only where there is a fault: most bodies have none. */
interface Item {
  value: unknown;
  name: string;
  /** undefined: it is the whole. */
  parent: Item | undefined;
  depth: number;
}

/**
 * Finds what JSON allows and we do not: U+0000 and lone surrogates in texts and names, which PostgreSQL and UTF-8 cannot
 * hold, numbers that would be written again as null, and values nested too deeply. Gives up after `FAULTS_MAX` faults. It
 * walks without recursion, so that no input can exhaust the stack.
 */
export function jsonFaults(value: unknown): PointerFault[] {
  const faults: PointerFault[] = [];
  const open: Item[] = [{ value, name: '', parent: undefined, depth: 0 }];
  for (let item = open.pop(); item !== undefined && faults.length < FAULTS_MAX; item = open.pop()) {
    if (typeof item.value === 'string') {
      if (!isStorable(item.value)) faults.push({ pointer: pointerTo(item), detail: UNSTORABLE });
    } else if (item.value === Infinity || item.value === -Infinity) {
      faults.push({ pointer: pointerTo(item), detail: 'This number is too large.' });
    } else if (typeof item.value === 'object' && item.value !== null) {
      if (item.depth >= DEPTH_MAX) {
        faults.push({ pointer: pointerTo(item), detail: `Nested deeper than ${DEPTH_MAX} levels.` });
        continue;
      }
      const members = Object.entries(item.value);
      // Once for the object, which is the place of them all: a name that cannot be stored cannot be told either.
      if (!members.every(([name]) => isStorable(name)))
        faults.push({ pointer: pointerTo(item), detail: `A member's name: ${UNSTORABLE}` });
      for (const [name, value] of members) open.push({ value, name, parent: item, depth: item.depth + 1 });
    }
  }
  return faults;
}

function pointerTo({ name, parent }: Item): string {
  return parent === undefined ? '#' : `${pointerTo(parent)}/${pointerToken(name)}`;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
