import type { Logger } from 'pino';
import { appendEvents } from '../../events/store.ts';
import { formatId } from '../../kernel/ids.ts';
import { sideBySide } from '../../kernel/side-by-side.ts';
import type { Database, Queryable, Transaction } from '../../store/database.ts';
import { isPassingFailure } from '../../store/passing-failure.ts';
import { composeStoredAnswer } from '../answer.ts';
import { draftMessageEvents } from '../read/message-events.ts';
import { findEntries } from '../read/read-store.ts';
import { lockMessages, unpackMessages } from '../report/apply-store.ts';
import {
  endDeleted,
  keepAnswer,
  listRunning,
  lockRunning,
  type RunningKey,
  type RunningRow,
  settleRunning,
} from './recover-store.ts';
import { unlessLocked } from './unless-locked.ts';

/** So many ids are read at once. Each request has a transaction of its own, so that a backlog never holds locks for long. */
const REQUESTS_AT_ONCE = 100;
/**
 * So many of them are settled side by side. Each takes a dozen statements, one after the other: with a database that is some milliseconds
 * away the backlog of a busy node took longer than the 30 s that are promised. Fewer than the fewest connections of a gateway.
 */
const SIDE_BY_SIDE = 3;
/**
 * Longer than it takes until a turn is taken or a report applied. Somebody may keep a row locked for hours, as a transaction does that
 * was left open in a terminal; what needs that row is left to the next round.
 */
const LOCK_WAIT_MS = 1_000;

/**
 * Settles the requests that a gone node has left: what waited becomes `failed` with `not_attempted`, what was under way
 * `unknown`. Nothing is transmitted. Returns how many requests it settled. One that cannot be settled, or not now, is logged in every
 * round, and holds up neither the others nor the start of a gateway. If its account is deleted it is ended as it stands:
 * the erasure of the account would wait for it for ever.
 */
export async function recoverRequests(
  database: Database,
  nodeId: string,
  docsUrl: string,
  log: Logger,
): Promise<number> {
  let settled = 0;
  let after: RunningKey | undefined;
  for (;;) {
    const running = await listRunning(database, nodeId, after, REQUESTS_AT_ONCE);
    const limits = { atATime: SIDE_BY_SIDE };
    const ends = await sideBySide(running, limits, (request) => recoverRequest(database, request, docsUrl, log));
    settled += ends.filter((isSettled) => isSettled).length;
    // What stays behind is being settled by another node, or cannot be settled.
    after = running.at(-1);
    if (running.length < REQUESTS_AT_ONCE) return settled;
  }
}

/** Settles one of them. False: it has ended, somebody else is settling it in this moment, or it cannot be settled, or not now. */
export async function recoverRequest(
  database: Database,
  { account_id: accountId, id }: RunningKey,
  docsUrl: string,
  log: Logger,
): Promise<boolean> {
  try {
    const late = { requestId: id, lockWaitMs: LOCK_WAIT_MS, log };
    return (await unlessLocked(database, late, (tx) => settle(tx, accountId, id, docsUrl))) ?? false;
  } catch (error) {
    if (isPassingFailure(error)) throw error;
    log.fatal({ err: error, request_id: formatId('req', id) }, 'request.not_recovered');
    await endDeleted(database, accountId, id);
    return false;
  }
}

async function settle(tx: Transaction, accountId: string, requestId: string, docsUrl: string): Promise<boolean> {
  const row = await lockRunning(tx, accountId, requestId);
  if (row === undefined) return false;
  // At this moment a notification may be writing or changing a message's row, or a node that was only paused may be taking its turn.
  // This waits for them. The settling sees only what was committed before it; otherwise it would leave such a message under way for
  // ever, or its history without a beginning.
  await unpackMessages(
    tx,
    row.message_ids.map((messageId) => ({ accountId, channelId: row.channel_id, messageId })),
  );
  await lockMessages(
    tx,
    row.message_ids.map((id) => ({ accountId, id })),
  );
  const recovered = await settleRunning(tx, accountId, requestId, row.message_ids);
  await keepSettledAnswer(tx, { ...row, accountId, id: requestId }, docsUrl);
  const events = recovered.map(({ id, status, error }) => ({ accountId, messageId: id, status, error }));
  await appendEvents(tx, await draftMessageEvents(tx, events));
  return true;
}

/** Keeps the answer that the caller never got, to be replayed for its idempotency key. */
async function keepSettledAnswer(
  tx: Queryable,
  request: RunningRow & { accountId: string; id: string },
  docsUrl: string,
): Promise<void> {
  const { accountId, id: requestId, mode, idempotency_key: key, message_ids: ids } = request;
  if (key === null) return;
  const messages = await findEntries(tx, { accountId, mode }, ids);
  const answer = JSON.stringify(composeStoredAnswer(request, messages, docsUrl));
  await keepAnswer(tx, { accountId, mode, key, requestId, answer });
}
