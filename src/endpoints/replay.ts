import { type AuditEntry, insertAudit } from '../accounts/audit-store.ts';
import { findLatest, isKept } from '../events/store.ts';
import { invalidRequest } from '../http/invalid-request.ts';
import { accountRoute, type Route } from '../http/route.ts';
import type { ApiError } from '../kernel/errors.ts';
import { formatId, parseId } from '../kernel/ids.ts';
import { createInTurn, type InTurn } from '../kernel/in-turn.ts';
import { noSuch } from '../kernel/no-such.ts';
import type { AccountPrincipal, Owner } from '../kernel/principal.ts';
import { unavailable } from '../kernel/unavailable.ts';
import type { Database, Transaction } from '../store/database.ts';
import { repeatOnConflict } from '../store/repeat-on-conflict.ts';
import { type ReplayWish, replayEvents } from './deliver/replay-store.ts';
import { endpointOperations } from './operations.ts';
import { REPLAY_BODY } from './requests.ts';
import { endpointKey, requireEndpoint } from './require.ts';

/** The most that one transaction enqueues, so that it is short: all who wait in line wait for one of each account. */
const EVENTS_A_COMMIT = 1_000;
/**
 * The transactions of all replays on one gateway run one after another, and all replays of one account share one place in that line.
 * Without this, twenty replays of one account took all connections to the database, and the sends of another account took 3 s. One
 * transaction at a time still enqueues several times faster than events are delivered. A replay of one event is as short as any other
 * change, and waits for those of its account only.
 */
const OF_ALL = 'all';
const AGAIN_SECONDS = 5;

interface Deps {
  database: Database;
  /** Millions of events take minutes, and the process stops sooner. */
  closing: AbortSignal;
  nudge(): void;
  inTurn: InTurn;
}

/** Enqueues recorded events once more: those of the endpoint's types, in their order, after a number or one by its id. */
export function replayRoute(path: string, given: Omit<Deps, 'inTurn'>): Route {
  const { database } = given;
  const deps = { ...given, inTurn: createInTurn() };
  return accountRoute({
    method: 'POST',
    path,
    scope: 'endpoints:manage',
    summary: 'Deliver events once more: all after a sequence, or one',
    operation: endpointOperations.replay,
    bodyUse: 'json',
    bodySchema: REPLAY_BODY,
    async handle({ principal, params, body }) {
      const { accountId, mode } = principal;
      if ((body.after_sequence === undefined) === (body.event_id === undefined)) throw notOneOfTwo();
      const { id: endpointId, types } = await requireEndpoint(database, endpointKey(principal, params.id));
      const eventId = body.event_id === undefined ? null : await requireEvent(database, principal, body.event_id);
      // What is recorded from now on is on its way without a replay, which so has an end.
      const upTo = (await findLatest(database, [principal]))(principal);
      const wish = { accountId, mode, endpointId, types, eventId, afterSequence: body.after_sequence ?? null, upTo };
      const count = await replay(deps, principal, wish);
      return { status: 202, body: { count } };
    },
  });
}

function notOneOfTwo(): ApiError {
  return invalidRequest([{ pointer: '#', detail: 'Give exactly one of after_sequence and event_id.' }]);
}

async function requireEvent(database: Database, log: Owner, text: string): Promise<string> {
  const id = parseId('evt', text);
  if (id === undefined || !(await isKept(database, log, id))) throw noSuch('evt', text, ', or it has expired');
  return id;
}

/** How many were enqueued. A call that breaks off can be repeated: what is enqueued already is not enqueued twice. */
async function replay(
  { database, closing, nudge, inTurn }: Deps,
  principal: AccountPrincipal,
  wish: ReplayWish,
): Promise<number> {
  const detail = { after_sequence: wish.afterSequence, event_id: wish.eventId && formatId('evt', wish.eventId) };
  const target = formatId('end', wish.endpointId);
  const actor = formatId('key', principal.keyId);
  const audit: AuditEntry = { accountId: wish.accountId, actor, action: 'endpoint.replayed', target, detail };
  let count = 0;
  for (let after = wish.afterSequence; ; ) {
    const step = async (tx: Transaction) => {
      if (count === 0) await insertAudit(tx, audit);
      // It may be deleted at any time. Nothing would ever take the rest away but the sweep, and all other replays wait for this one.
      await requireEndpoint(tx, { accountId: wish.accountId, mode: wish.mode, id: wish.endpointId });
      return replayEvents(tx, { ...wish, afterSequence: after }, EVENTS_A_COMMIT);
    };
    // It may meet the erasure of its account, which removes deliveries in another order.
    const enqueue = () => repeatOnConflict(() => database.transaction(step));
    const begin = () => (wish.eventId === null ? inTurn(OF_ALL, enqueue) : enqueue());
    const { events, last } = await inTurn(wish.accountId, begin);
    nudge();
    count += events;
    if (events < EVENTS_A_COMMIT) return count;
    if (closing.aborted) throw cutShort();
    after = last;
  }
}

function cutShort(): ApiError {
  const detail = 'The gateway stops. A part is on its way; make the same call again.';
  return unavailable(detail, { retryAfterSeconds: AGAIN_SECONDS });
}
