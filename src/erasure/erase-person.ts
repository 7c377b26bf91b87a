import { insertAudit, PLATFORM } from '../accounts/audit-store.ts';
import { LAST_UUID, newId } from '../kernel/ids.ts';
import { isRecord } from '../kernel/is-record.ts';
import { emptiedInbound } from '../messages/read/inbound-member.ts';
import { forgetParents } from '../people/parent-store.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { PersonMark } from './person-mark.ts';
import { claimErasure, type ErasureRow, finishErasure, insertErasure, moveErasure } from './person-store.ts';
import { emptyReferences, REFERENCES } from './reference-store.ts';
import { emptyRefused } from './refused-store.ts';
import type { Reached, Stretch } from './stretch.ts';
import {
  emptyAttempts,
  emptyMessages,
  emptyNotifications,
  findEventsOfPerson,
  findNames,
  replaceMessages,
} from './walk-store.ts';

const ROWS_A_BATCH = 1_000;
/** A raw body may have 4 MiB. */
const BODIES_A_BATCH = 100;

/**
 * Notes that all that identifies a person (a phone number in E.164 form, or a user id) is to be emptied in an account's
 * data. Returns what stands for the person in the audit log. It may be repeated at will.
 */
export async function requestErasure(
  database: Database,
  markOf: PersonMark,
  { accountId, person }: { accountId: string; person: string },
): Promise<string> {
  const mark = markOf(accountId, person);
  await database.transaction(async (tx) => {
    await insertErasure(tx, { accountId, id: newId(), person, mark });
    await note(tx, accountId, 'person.erase_requested', mark);
  });
  return mark;
}

/** A step walks through one table; it returns where its stretch ended. The order matters: see the statements. */
type Step = (tx: Queryable, stretch: Stretch, erasure: ErasureRow) => Promise<Reached>;

const ATTEMPTS: Step = (tx, stretch) => emptyAttempts(tx, stretch);
const EVENTS: Step = (tx, stretch) => emptyEvents(tx, stretch);
const WALK: readonly Step[] = [
  learnNames,
  ATTEMPTS,
  EVENTS,
  (tx, stretch) => emptyReferences(tx, stretch),
  emptyOwnMessages,
  (tx, stretch) => emptyRefused(tx, stretch),
  (tx, stretch) => emptyNotifications(tx, { ...stretch, limit: BODIES_A_BATCH }),
];

/**
 * All tables are walked through at once, and again when all that was under way has been written. Until a message is emptied, an event
 * that reports on it names its person. Such an event may be written after the second walk has passed the events, so events, and
 * endpoints' answers to them, are walked through once more at the end.
 */
const STEPS: readonly Step[] = [...WALK, ...WALK, EVENTS, ATTEMPTS];

/** Goes a stretch further with one erasure that is due. False: there is none. */
export function eraseSome(database: Database, settledMs: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const erasure = await claimErasure(tx, WALK.length);
    if (erasure === undefined) return false;
    const step = STEPS[erasure.down_step];
    if (step === undefined) {
      await finishErasure(tx, erasure);
      await note(tx, erasure.account_id, 'person.erased', erasure.mark);
      return true;
    }
    const reached = await step(tx, stretchOf(erasure), erasure);
    const nextStep = reached === null ? erasure.down_step + 1 : erasure.down_step;
    const beginsAgain = reached === null && nextStep === WALK.length;
    await moveErasure(tx, { ...erasure, down_step: nextStep, down_to: reached }, beginsAgain ? settledMs : 0);
    return true;
  });
}

function stretchOf({ account_id: accountId, down_to: place, persons }: ErasureRow): Stretch {
  return { accountId, place: place ?? LAST_UUID, limit: ROWS_A_BATCH, persons };
}

/**
 * Finds the person's other names: the user ids that stand beside a number in the same message, or the numbers beside a user id; and
 * the parent user ids that stand for these.
 */
async function learnNames(tx: Queryable, stretch: Stretch, erasure: ErasureRow): Promise<Reached> {
  const { reached, names } = await findNames(tx, stretch);
  const persons = new Set([...erasure.persons, ...names]);
  const told = { accountId: stretch.accountId, askedAt: erasure.asked_at };
  const known = await forgetParents(tx, told, [...persons]);
  erasure.persons = [...persons.union(new Set(known))];
  return reached;
}

async function emptyOwnMessages(tx: Queryable, stretch: Stretch, erasure: ErasureRow): Promise<Reached> {
  const { reached, names } = await emptyMessages(tx, stretch);
  erasure.persons = [...new Set([...erasure.persons, ...names])];
  return reached;
}

async function emptyEvents(tx: Queryable, stretch: Stretch): Promise<Reached> {
  const { reached, found } = await findEventsOfPerson(tx, stretch);
  const emptied = found.map(({ id, message, own }) => ({
    id,
    message: own ? withoutPerson(message) : withoutReferences(message),
  }));
  if (emptied.length > 0) await replaceMessages(tx, stretch.accountId, emptied);
  return reached;
}

/** The other side of the message is the account's own number, and stays. */
function withoutPerson(message: Record<string, unknown>): Record<string, unknown> {
  const inbound = message.direction === 'inbound';
  return {
    ...(inbound ? emptiedInbound(message) : message),
    [inbound ? 'from' : 'to']: null,
    user_id: null,
    message_id: null,
    client_reference: null,
    reply_to: null,
    error: withoutFaults(message.error),
  };
}

/** What somebody else said stays, except which message it refers to. The news of a changed number is emptied as a whole. */
function withoutReferences(told: Record<string, unknown>): Record<string, unknown> {
  const { type, reply_to: replyTo } = told;
  const message = isRecord(replyTo) ? { ...told, reply_to: { ...replyTo, message_id: null } } : told;
  if (type === 'system') return emptiedInbound(message);
  const content = message[String(type)];
  return {
    ...message,
    ...(isRecord(content) && {
      [String(type)]: Object.fromEntries(Object.entries(content).filter(([name]) => !REFERENCES.includes(name))),
    }),
  };
}

/** The faults of a template's parameters quote these parameters. */
function withoutFaults(error: unknown): unknown {
  if (!isRecord(error)) return error;
  const { errors: _, ...rest } = error;
  return rest;
}

async function note(tx: Queryable, accountId: string, action: string, mark: string): Promise<void> {
  const audit = { accountId, actor: PLATFORM, action, target: accountId, detail: { person: mark } };
  await insertAudit(tx, audit);
}
