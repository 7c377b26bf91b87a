import type { Fault } from '../../../../kernel/errors.ts';
import { isRecord } from '../../../../kernel/is-record.ts';

/** Nobody mends more faults than this in one go, and a body could be made to hold some hundred thousand. */
const FAULTS_MAX = 100;

/**
 * A value inside the components together with its place, and where faults are noted. Places are JSON Pointers as URI
 * fragments; all names in them are ours and need no escaping, because what is unknown is never looked into.
 */
export class Spot {
  readonly value: unknown;
  readonly pointer: string;
  readonly #faults: Fault[];

  constructor(value: unknown, pointer: string, faults: Fault[]) {
    this.value = value;
    this.pointer = pointer;
    this.#faults = faults;
  }

  fault(detail: string): undefined {
    if (this.#faults.length < FAULTS_MAX) this.#faults.push({ pointer: this.pointer, detail });
    return undefined;
  }

  /** The member of that name, which may be missing: its value is undefined then. */
  at(name: string): Spot {
    const value = isRecord(this.value) ? this.value[name] : undefined;
    return new Spot(value, `${this.pointer}/${name}`, this.#faults);
  }

  get missing(): boolean {
    return this.value === undefined;
  }

  /** Itself if it is an object, else undefined and a fault. */
  object(): Spot | undefined {
    return isRecord(this.value) ? this : this.fault(this.missing ? 'An object is missing.' : 'Must be an object.');
  }

  /** Its items if it is an array of a bearable length, else none and a fault. */
  items({ min, max }: { min: number; max: number }): Spot[] {
    if (!Array.isArray(this.value)) {
      this.fault(this.missing ? 'An array is missing.' : 'Must be an array.');
      return [];
    }
    if (this.value.length < min || this.value.length > max) {
      this.fault(min === 0 ? `Must have at most ${max} items.` : `Must have ${min} to ${max} items.`);
      return [];
    }
    return this.value.map((item: unknown, place) => new Spot(item, `${this.pointer}/${place}`, this.#faults));
  }

  /** Itself as a text with at most that many code points, else undefined and a fault. */
  text({ min = 0, max }: { min?: number; max: number }): string | undefined {
    if (typeof this.value !== 'string') return this.fault(this.missing ? 'A text is missing.' : 'Must be a text.');
    // Code points are counted only where they could make a difference.
    const length = this.value.length > max ? [...this.value].length : this.value.length;
    if (length >= min && length <= max) return this.value;
    return this.fault(
      length < min ? 'Must not be empty.' : `Must have at most ${max} characters; this one has ${length}.`,
    );
  }

  /** A place in a list: the provider's own examples write it as a number and as a text. */
  place(max: number): void {
    const { value } = this;
    const number = typeof value === 'string' && /^(?:0|[1-9][0-9]{0,2})$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= max) return;
    this.fault(`${this.missing ? 'Is missing: m' : 'M'}ust be a whole number from 0 to ${max}.`);
  }
}
