import { type AuditAction, insertAudit, PLATFORM } from '../accounts/audit-store.ts';
import { LAST_UUID, newId, parseId } from '../kernel/ids.ts';
import { isRecord } from '../kernel/is-record.ts';
import { emptiedInbound } from '../messages/inbound-content.ts';
import { forgetParents } from '../people/parent-store.ts';
import type { Database, Queryable } from '../store/database.ts';
import { isPassingFailure } from '../store/passing-failure.ts';
import { emptyRefused } from './empty-refused.ts';
import type { PersonMark } from './person-mark.ts';
import {
  claimErasures,
  type ErasureRow,
  finishErasure,
  insertErasure,
  keepNames,
  moveErasures,
  putOffErasures,
} from './person-store.ts';
import { emptyReferences, REFERENCES } from './reference-store.ts';
import { findSaidSince } from './said-since-store.ts';
import type { Reached, Stretch } from './stretch.ts';
import {
  type EventOfPerson,
  emptyAttempts,
  emptyMessages,
  emptyNotifications,
  findEventsOfPerson,
  findNames,
  type Name,
  replaceMessages,
} from './walk-store.ts';

const ROWS_A_BATCH = 1_000;
const BODIES_A_BATCH = 100;
/** A raw body may have 4 MiB, and is looked through for each name. */
const BYTES_A_BATCH = 1 << 30;
/** This process reads and writes the messages of events itself. Those of a thousand may have gigabytes, and nobody else would be answered meanwhile. */
const EVENT_BYTES_A_BATCH = 1 << 20;
/** So many are looked for as one person is: what takes time is reading. */
const TOGETHER_MAX = 100;

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
type Step = (tx: Queryable, stretch: Stretch, erasures: readonly ErasureRow[]) => Promise<Reached>;

const WALK: readonly Step[] = [
  learnNames,
  emptyAttempts,
  emptyEvents,
  emptyReferences,
  emptyOwnMessages,
  emptyRefused,
  (tx, stretch) => emptyNotifications(tx, { ...stretch, limit: BODIES_A_BATCH }, BYTES_A_BATCH),
];

/**
 * All tables are walked through at once, and again when all that was under way has been written. Until a message is emptied, an event
 * that reports on it names its person. Such an event may be written after the second walk has passed the events, so events, and
 * endpoints' answers to them, are walked through once more at the end.
 *
 * The number of a step is stored, and gateways of two versions may go on with the same erasure: one with fewer steps would take it
 * for done. So what is new is done in one of these steps.
 */
const STEPS: readonly Step[] = [...WALK, ...WALK, emptyEvents, emptyAttempts];

/**
 * Goes a stretch further with the erasures of one account that are due and stand at the same place. False: there are none. Accounts in
 * `heldUp` are passed over; if this fails, the account that it was at work on is in it too.
 *
 * If it fails for a reason that does not pass, that is a fault of ours, which ends the process. The erasures of that account are put off
 * first: were they due again at once, every gateway would end as soon as it has started, because of one row of one account.
 */
export async function eraseSome(database: Database, settledMs: number, heldUp = new Set<string>()): Promise<boolean> {
  let atWorkOn: string | undefined;
  try {
    return await database.transaction(async (tx) => {
      const erasures = await claimErasures(tx, WALK.length, TOGETHER_MAX, heldUp);
      const [first] = erasures;
      if (first === undefined) return false;
      atWorkOn = first.account_id;
      heldUp.add(atWorkOn);
      await eraseStretch(tx, first, erasures, settledMs);
      heldUp.delete(atWorkOn);
      return true;
    });
  } catch (error) {
    if (atWorkOn !== undefined && !isPassingFailure(error)) await putOffErasures(database, atWorkOn);
    throw error;
  }
}

async function eraseStretch(
  tx: Queryable,
  first: ErasureRow,
  erasures: readonly ErasureRow[],
  settledMs: number,
): Promise<void> {
  const step = STEPS[first.down_step];
  if (step === undefined) {
    for (const erasure of erasures) {
      await finishErasure(tx, erasure);
      await note(tx, erasure.account_id, 'person.erased', erasure.mark);
    }
    return;
  }
  const reached = await step(tx, stretchOf(first, erasures), erasures);
  const nextStep = reached === null ? first.down_step + 1 : first.down_step;
  const beginsAgain = reached === null && nextStep === WALK.length;
  await moveErasures(tx, erasures, { down_step: nextStep, down_to: reached }, beginsAgain ? settledMs : 0);
}

function stretchOf({ account_id: accountId, down_to: place }: ErasureRow, erasures: readonly ErasureRow[]): Stretch {
  // The last one counts: they come in the order in which they were asked for.
  const askedAt = new Map(erasures.flatMap(({ persons, asked_at: at }) => persons.map((name) => [name, at])));
  return {
    accountId,
    place: place ?? LAST_UUID,
    limit: ROWS_A_BATCH,
    asked: erasures.map(({ persons: [asked = ''] }) => asked),
    persons: [...askedAt.keys()],
    askedAt: [...askedAt.values()],
  };
}

/**
 * Finds the other names of each person: the user ids that stand beside a number in the same message, or the numbers beside a user id; and
 * the parent user ids that stand for these.
 */
async function learnNames(tx: Queryable, stretch: Stretch, erasures: readonly ErasureRow[]): Promise<Reached> {
  const { reached, names } = await findNames(tx, stretch);
  for (const erasure of erasures) {
    const told = { accountId: stretch.accountId, askedAt: erasure.asked_at };
    let persons = new Set([...erasure.persons, ...namesOf(erasure, names)]);
    // What is forgotten of its parents depends on the person's names alone, so it is asked once, and again as long as there is a new name.
    for (let asked = stretch.place === LAST_UUID ? 0 : erasure.persons.length; persons.size > asked; ) {
      asked = persons.size;
      persons = persons.union(new Set(await forgetParents(tx, told, [...persons])));
    }
    await keepMore(tx, erasure, persons);
  }
  return reached;
}

async function emptyOwnMessages(tx: Queryable, stretch: Stretch, erasures: readonly ErasureRow[]): Promise<Reached> {
  const { reached, names } = await emptyMessages(tx, stretch);
  for (const erasure of erasures) await keepMore(tx, erasure, [...erasure.persons, ...namesOf(erasure, names)]);
  return reached;
}

function namesOf({ persons: [asked] }: ErasureRow, names: readonly Name[]): string[] {
  return names.filter((found) => found.asked === asked).map(({ name }) => name);
}

async function keepMore(tx: Queryable, erasure: ErasureRow, names: Iterable<string>): Promise<void> {
  const persons = [...new Set(names)];
  if (persons.length > erasure.persons.length) await keepNames(tx, { ...erasure, persons });
}

async function emptyEvents(tx: Queryable, stretch: Stretch): Promise<Reached> {
  const { reached, found } = await findEventsOfPerson(tx, stretch, EVENT_BYTES_A_BATCH);
  const since = await findSaidSince(tx, stretch, found.flatMap(messageOf));
  const emptied = found
    .filter((event) => !messageOf(event).some((id) => since.has(id)))
    .map(({ id, message, own }) => ({ id, message: own ? withoutPerson(message) : withoutReferences(message) }));
  if (emptied.length > 0) await replaceMessages(tx, stretch.accountId, emptied);
  return reached;
}

/** The id of the person's own message that an event tells of; none of somebody else's. */
function messageOf({ own, message }: EventOfPerson): string[] {
  const id = own ? parseId('msg', String(message.id)) : undefined;
  return id === undefined ? [] : [id];
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

async function note(tx: Queryable, accountId: string, action: AuditAction, mark: string): Promise<void> {
  const audit = { accountId, actor: PLATFORM, action, target: accountId, detail: { person: mark } };
  await insertAudit(tx, audit);
}
