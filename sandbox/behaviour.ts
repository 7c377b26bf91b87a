/** What is posted to the callback about a message that was taken. */
export type Notice =
  | { kind: 'sent' | 'delivered' | 'read'; priced: boolean }
  | { kind: 'failed'; code: number }
  | { kind: 'reply'; text: string };

/** One notice, and how long after the notice before it it is posted. */
export interface Step {
  waitMs: number;
  notice: Notice;
}

/** How a message is taken: what is answered and when, and what is posted. */
export interface Taking {
  kind: 'take';
  answer: 'accepted' | 'held' | 'cut';
  answerWaitMs: number;
  /** Notices that are posted, and acknowledged, before the send is answered. */
  before: Step[];
  steps: Step[];
  /** How often each notice is posted. */
  copies: number;
  /** Whether the notices name the person by the user id alone, without the number. */
  hidesPhone: boolean;
}

/** What happens to a transmit to a number. `first`: how many transmits of one message are refused before it is taken. */
export type Behaviour =
  | { kind: 'refuse'; code: number; first: number }
  | { kind: 'lose'; how: 'reset' | 'html' }
  | Taking;

const SENT: Notice = { kind: 'sent', priced: true };
const DELIVERED: Notice = { kind: 'delivered', priced: true };
const READ: Notice = { kind: 'read', priced: false };
const READ_ONLY: Notice = { kind: 'read', priced: true };

/** Sent after 50 ms, delivered after 150, read after 300: the whole course within a second. */
const COURSE: Step[] = [step(50, SENT), step(100, DELIVERED), step(150, READ)];

/** What happens to a transmit to any number that is not in the table. */
export const ORDINARY: Taking = {
  kind: 'take',
  answer: 'accepted',
  answerWaitMs: 0,
  before: [],
  steps: COURSE,
  copies: 1,
  hidesPhone: false,
};

const NUMBERS: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['+15552000001', { kind: 'lose', how: 'reset' }],
  ['+15552000002', { ...ORDINARY, answer: 'cut', steps: late(2_000) }],
  ['+15552000003', { ...ORDINARY, answerWaitMs: 60_000, steps: late(40_000) }],
  ['+15552000004', { kind: 'lose', how: 'html' }],
  ['+15552000005', { kind: 'refuse', code: 130429, first: 2 }],
  ['+15552000006', { ...ORDINARY, copies: 2 }],
  ['+15552000007', { ...ORDINARY, steps: [step(50, READ), step(200, DELIVERED), step(200, SENT)] }],
  ['+15552000008', { ...ORDINARY, steps: [step(50, READ_ONLY)] }],
  ['+15552000009', { ...ORDINARY, before: [step(0, DELIVERED)], steps: [] }],
  ['+15552000010', { ...ORDINARY, steps: late(30_000) }],
  ['+15552000011', { ...ORDINARY, steps: [] }],
  ['+15552000012', { ...ORDINARY, hidesPhone: true }],
  ['+15552000013', { ...ORDINARY, answer: 'held', steps: [step(2_000, { kind: 'failed', code: 132015 })] }],
  ['+15552000014', { ...ORDINARY, steps: [...COURSE, step(100, { kind: 'reply', text: 'Hello back' })] }],
]);

/**
 * A number that carries an error code. With a 0 before the code the transmit is refused at once; with a 1 it is accepted, and the message
 * fails later. The code is filled with zeros to 6 digits; a few of the provider's codes, such as 2494100, have 7.
 */
const CODE_NUMBER = /^\+1555([01])(\d{6}|[1-9]\d{6})$/;

/** What happens to a transmit to this number in E.164. A person whose number is not known is an ordinary one. */
export function behaviourOf(phone: string | undefined): Behaviour {
  if (phone === undefined) return ORDINARY;
  const [, kind, digits] = CODE_NUMBER.exec(phone) ?? [];
  if (kind === undefined || digits === undefined) return NUMBERS.get(phone) ?? ORDINARY;
  const code = Number(digits);
  if (kind === '0') return { kind: 'refuse', code, first: Number.POSITIVE_INFINITY };
  return { ...ORDINARY, steps: [step(150, { kind: 'failed', code })] };
}

function step(waitMs: number, notice: Notice): Step {
  return { waitMs, notice };
}

function late(waitMs: number): Step[] {
  return [step(waitMs, SENT), ...COURSE.slice(1)];
}
