import { PARTED_TABLES } from '../../src/store/parted-tables.ts';
import { standIn, standInWith } from './stand-in.ts';

/** The arguments of a call after the store, by what is special about the call. */
type Calls = Record<string, readonly unknown[]>;

const all = standIn;
const INDEXED = {
  'no filter': {},
  'by request': { request_id: all },
  'by message id': { message_id: all },
  'by client reference': { client_reference: all },
  'by phone': { phone: all },
  'by user id': { user_id: all },
  'of a rare status': { status: 'failed' },
};
const BOUNDS = { '': { since: all }, ', a later page': { since: all, before: all } };
const LISTS = Object.entries(INDEXED).flatMap(([what, filter]) =>
  Object.entries(BOUNDS).map(([where, bounds]) => [`${what}${where}`, { ...filter, ...bounds }] as const),
);
/** Named as weeks are, so that this partition exists (see `fill.ts`). */
export const SAMPLE_WEEK = 'sample';
const blocksOf = (parent: string) => ({ table: `${parent}_${SAMPLE_WEEK}`, from: 0, to: 100 });
/** The tables of an account that grow. It makes no difference how the rows of the others are found. */
const ACCOUNT_TABLES = ['message', 'timeline', 'event', 'attempt', 'request', 'delivery', 'idempotency', 'inbound_id'];
const QUIET = standInWith({ body: Buffer.alloc(0), busy: false });
/** Two words of a person: one with its time, and one without, which is looked for among the known ones. */
const wordsOf = (mode: string) => [true, false].map((timed) => standInWith({ mode, stopped: timed, timed }));

/** What a send may begin with and end with, and both together, as in a commit that several sends share. */
function commits(): Calls {
  const begun = {
    plain: standInWith({ idempotency: null }),
    'with a key': all,
    waiting: standInWith({ idempotency: null, intended: [standInWith({ status: 'pending' })] }),
  };
  const completed = { plain: standInWith({ replay: null }), 'with a key': all };
  const none = { begun: [], settled: [], completed: [] };
  return {
    ...calls(begun, (one, what) => ({ [`begins, ${what}`]: [{ ...none, begun: [one] }, 'new'] })),
    ...calls(completed, (one, what) => ({
      [`ends, ${what}`]: [{ ...none, settled: [all], completed: [one] }, 'new'],
      [`ends beside what is known, ${what}`]: [{ ...none, settled: [all], completed: [one] }, 'any'],
    })),
    'begins and ends': [{ begun: [begun.plain], settled: [all], completed: [completed.plain] }, 'new'],
    'begins and ends, with a key': [{ begun: [all], settled: [all], completed: [all] }, 'any'],
  };
}

function calls(some: Record<string, unknown>, make: (one: unknown, what: string) => Calls): Calls {
  return Object.assign({}, ...Object.entries(some).map(([what, one]) => make(one, what)));
}

/** Functions whose arguments decide which statement they run, with a call for each form. */
export const VARIANTS: Record<string, Record<string, Calls>> = {
  'src/messages/commit/commit-store.ts': { commitSends: commits() },
  'src/messages/read/list-store.ts': {
    listMessages: {
      ...Object.fromEntries(LISTS.map(([what, filter]) => [what, [all, filter, 50]])),
      'no filter, by a test key': [standInWith({ mode: 'test' }), { since: all }, 50],
    },
  },
  'src/events/store.ts': {
    listEvents: {
      'all types': [standInWith({ after: 0, types: null, limit: 50 })],
      'of some types': [standInWith({ after: 0, types: [all], limit: 50 })],
    },
  },
  'src/endpoints/deliver/replay-store.ts': {
    replayEvents: {
      'all types': [standInWith({ types: null, eventId: null }), 50],
      'of some types': [standInWith({ types: [all], eventId: null }), 50],
      'one event': [standInWith({ types: [all], afterSequence: null }), 50],
    },
  },
  'src/endpoints/deliver/attempt-store.ts': {
    listAttempts: {
      'no filter': [{ accountId: all, id: all }, { eventId: null, outcome: null, before: null, from: all }, 50],
      'by event': [{ accountId: all, id: all }, { eventId: all, outcome: null, before: null, from: all }, 50],
      succeeded: [{ accountId: all, id: all }, { eventId: null, outcome: 'succeeded', before: null, from: all }, 50],
      failed: [{ accountId: all, id: all }, { eventId: null, outcome: 'failed', before: null, from: all }, 50],
    },
  },
  'src/accounts/audit-store.ts': { listAuditRows: { 'of all': [null], 'of an account': [all] } },
  'src/notifications/store.ts': {
    listNotifications: Object.fromEntries(
      [null, 'waiting', 'applied', 'set_aside'].map((state) => [state ?? 'all', [{ state, before: all, limit: all }]]),
    ),
  },
  'src/notifications/pack-store.ts': {
    insertPacks: { one: [[QUIET]], two: [[QUIET, standInWith({ body: Buffer.alloc(0), busy: true })]] },
    claimPacked: { quiet: ['quiet', all], oldest: ['oldest', all] },
  },
  'src/channels/pacing-store.ts': {
    // The second one gets no turn at first.
    reserveTurns: { 'a new channel': [[all, { channelId: 'new' }]] },
  },
  'src/keeping/expire-store.ts': {
    emptyContent: { request: ['request', blocksOf('request')], message: ['message', blocksOf('message')] },
    deleteApplied: { '': [blocksOf('notification')] },
  },
  'src/keeping/partition-store.ts': {
    holdsEvents: { '': [`event_${SAMPLE_WEEK}`] },
    sizeLeftOver: { '': [`notification_${SAMPLE_WEEK}`] },
    dropNotifications: { '': [`notification_${SAMPLE_WEEK}`] },
    listPartitions: Object.fromEntries(PARTED_TABLES.map((parent) => [parent, [parent]])),
  },
  'src/people/parent-store.ts': { findKnownNames: { '': [all, ['GB.ENT.1']] } },
  'src/people/preference-store.ts': {
    findStopped: { live: [standInWith({ mode: 'live' })], test: [standInWith({ mode: 'test' })] },
    keepPreferences: { live: [wordsOf('live')], test: [wordsOf('test')] },
  },
  'src/erasure/account-store.ts': {
    deleteRows: Object.fromEntries(ACCOUNT_TABLES.map((table) => [table, [table]])),
  },
};
