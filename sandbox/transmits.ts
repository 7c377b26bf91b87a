import { Queue } from './notify/queue.ts';
import { type Person, personOfPhone } from './person.ts';

/** One try to hand over one message, as it was read. */
export interface Transmit {
  /** The message id; null where the message was not taken. */
  id: string | null;
  /** What it was to go out from. */
  phoneNumberId: string;
  to: string | null;
  recipient: string | null;
  /** The body as JSON text: it is kept as it came and never built again. */
  bodyText: string;
  callbackData: string | null;
  taken: boolean;
  atMs: number;
}

/** How much is kept: enough for a long bench, and little enough for any machine. */
const TRANSMITS_MAX = 100_000;
const CHARACTERS_MAX = 128 * 1024 * 1024;

/** The transmits that were read, newest last. If there are too many, the oldest are forgotten. */
export class Transmits {
  readonly #kept = new Queue<Transmit>();
  #characters = 0;

  add(transmit: Transmit): void {
    this.#kept.push(transmit);
    this.#characters += transmit.bodyText.length;
    while (this.#kept.size > TRANSMITS_MAX || this.#characters > CHARACTERS_MAX) {
      this.#characters -= this.#kept.shift()?.bodyText.length ?? 0;
    }
  }

  /**
   * A JSON list of the transmits: those to a person, by number in E.164 or by user id, and those with certain callback data, if these are
   * asked for. If a message was given both, it went to the number.
   */
  toJson(wanted: { to?: string | undefined; callbackData?: string | undefined }): string {
    const found = this.#kept
      .toArray()
      .filter(({ to, recipient }) => wanted.to === undefined || (to ?? recipient) === wanted.to)
      .filter(({ callbackData }) => wanted.callbackData === undefined || callbackData === wanted.callbackData);
    return `{"data":[${found.map(transmitJson).join(',')}],"next_cursor":null}`;
  }

  /** The one that has this message id; without it the last one to this person that was taken. */
  findTaken({ phone, userId }: Person, id: string | undefined): Transmit | undefined {
    const kept = this.#kept.toArray();
    // Whoever hides the number writes by the user id that the statuses of a message to the number have named.
    const isNumberOf = (to: string) => (phone === undefined ? personOfPhone(to)?.userId === userId : to === phone);
    const isToPerson = ({ to, recipient }: Transmit) => (to === null ? recipient === userId : isNumberOf(to));
    return (
      kept.findLast((one) => id !== undefined && one.id === id) ?? kept.findLast((one) => one.taken && isToPerson(one))
    );
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}

function transmitJson(transmit: Transmit): string {
  const { id, to, recipient, callbackData, taken, atMs, bodyText } = transmit;
  const rest = { id, to, recipient, biz_opaque_callback_data: callbackData, taken, at: new Date(atMs).toISOString() };
  return `${JSON.stringify(rest).slice(0, -1)},"body":${bodyText}}`;
}
