import type { PointerFault } from './errors.ts';
import { isFarNumber } from './is-far-number.ts';
import { pointerTo } from './json-pointer.ts';

/** Nothing that we accept nests deeper than about ten levels. Much deeper values would exhaust a serialiser's stack. */
const DEPTH_MAX = 32;
/** Nobody mends more faults than this in one go, and a body can be made to hold some hundred thousand. */
const FAULTS_MAX = 100;
/** No header and no member of the provider's has a name nearly as long, and each fault within would repeat it. */
const NAME_CHARACTERS_MAX = 512;
const UNSTORABLE = 'U+0000 and lone surrogates are not accepted.';

/** The names on the way to a value. They are put into words only where there is a fault: most bodies have none. */
type Way = (string | number)[];

/**
 * Finds what JSON allows and we do not: U+0000 and lone surrogates in texts and names, which PostgreSQL and UTF-8 cannot
 * hold, numbers that would be written again as null or with hundreds of digits, endless names, and values nested too deeply. Gives
 * up after `FAULTS_MAX` faults.
 */
export function jsonFaults(value: unknown): PointerFault[] {
  const faults: PointerFault[] = [];
  const way: Way = [];
  const tell = (detail: string) => void faults.push({ pointer: pointerTo(way), detail });

  // It calls itself once a level, and so `DEPTH_MAX` times at most. It makes nothing of a value that is right: a body may have
  // half a million of them, and an object for each held up everybody else for a tenth of a second.
  function look(within: unknown): void {
    if (typeof within === 'string') {
      if (!isStorable(within)) tell(UNSTORABLE);
    } else if (typeof within === 'number') {
      if (isFarNumber(within)) tell(`This number is too ${Math.abs(within) > 1 ? 'large' : 'close to zero'}.`);
    } else if (typeof within === 'object' && within !== null) {
      if (way.length >= DEPTH_MAX) tell(`Nested deeper than ${DEPTH_MAX} levels.`);
      else if (Array.isArray(within)) lookAtItems(within);
      else lookAtMembers(within);
    }
  }

  function lookAtItems(items: unknown[]): void {
    for (let place = 0; place < items.length && faults.length < FAULTS_MAX; place++) {
      way.push(place);
      look(items[place]);
      way.pop();
    }
  }

  function lookAtMembers(object: object): void {
    const names = Object.keys(object);
    // Once for the object, which is the place of them all: a name that cannot be stored cannot be told either.
    if (!names.every(isStorable)) tell(`A member's name: ${UNSTORABLE}`);
    if (!names.every(isShort)) tell(`A member's name has more than ${NAME_CHARACTERS_MAX} characters.`);
    for (const name of names) {
      if (faults.length >= FAULTS_MAX) return;
      if (!isShort(name)) continue;
      way.push(name);
      look(Reflect.get(object, name));
      way.pop();
    }
  }

  look(value);
  return faults;
}

function isShort(name: string): boolean {
  return name.length <= NAME_CHARACTERS_MAX;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
