import type { PlanNode } from './explain.ts';
import type { Planned } from './plans.ts';

/** The tables that grow with every message. */
export const GROWING = [
  ...['request', 'message', 'timeline', 'event', 'attempt', 'notification_pack', 'notification', 'delivery'],
  ...[
    'idempotency',
    'inbound_id',
    'customer_window',
    'message_statistics',
    'message_statistics_due',
    'message_statistics_mark',
  ],
];
/** All others: what was set up, who is at work, and what comes seldom, however many messages there are. */
export const GROWING_LITTLE = [
  ...['account', 'api_key', 'channel', 'channel_pace', 'endpoint', 'event_sequence', 'template', 'template_sync'],
  ...['node', 'keeping', 'delivering', 'message_statistics_sweep', 'migration', 'master_key_check'],
  ...['audit', 'applied_news', 'erasure', 'erased_inbound_id', 'parent_user_id'],
  ...['marketing_preference', 'test_marketing_preference'],
];
/** Indexes that contain only what is left to do, so reading a whole one is not much. */
const OF_WORK = [
  ...['request_running', 'notification_waiting', 'notification_set_aside', 'notification_late'],
  ...['notification_pack_pkey', 'notification_pack_quiet', 'message_statistics_due_at'],
];
/** The functions that may read more, each with its reason. */
export const MAY_READ_MORE: Record<string, string> = {
  'src/endpoints/deliver/claim-store.ts claimDeliveries': 'Steps from one endpoint to the next, a row each.',
  'src/endpoints/deliver/delivery-store.ts hastenDeliveries': 'Steps from one endpoint to the next, a row each.',
  'src/endpoints/deliver/delivery-store.ts tidyDeliveries': 'Steps from one endpoint to the next, a row each.',
  'src/endpoints/deliver/gone-store.ts releaseOfNode': 'Steps from one endpoint to the next, a row each.',
  'src/endpoints/deliver/replay-store.ts replayEvents, all types': 'Ends at the limit of a step.',
  'src/erasure/account-store.ts deleteRows': 'Deletes everything that an account has.',
  'src/erasure/person-store.ts finishErasure': 'Runs once for a person.',
  'src/erasure/reference-store.ts emptyReferences': 'Ends at the limit of a step.',
  'src/erasure/refused-store.ts findRefused': 'Ends at the limit of a step.',
  'src/erasure/walk-store.ts emptyAttempts': 'Ends at the limit of a step.',
  'src/erasure/walk-store.ts emptyMessages': 'Ends at the limit of a step.',
  'src/erasure/walk-store.ts findEventsOfPerson': 'Ends at the limit of a step.',
  'src/erasure/walk-store.ts findNames': 'Ends at the limit of a step.',
  'src/erasure/walk-store.ts replaceMessages': 'Reads a new week of the account, until its size is known.',
  'src/events/store.ts findOldest': 'Ends with the first one that is kept.',
  'src/events/store.ts listEvents, all types': 'Ends with the page.',
  'src/keeping/event-log-store.ts findExpiredEvents': 'Ends at the limit of a look.',
  'src/keeping/partition-store.ts holdsEvents': 'Ends with the last one of a log.',
  'src/keeping/expire-store.ts deleteStrays': 'Next to nothing is in no week.',
  'src/keeping/expire-store.ts emptyStrays': 'Next to nothing is in no week.',
  'src/messages/report/inbound-store.ts detachInboundIds': 'Ends at a limit.',
  'src/messages/report/inbound-store.ts expireInboundIds': 'By the time at which they end.',
  'src/messages/commit/idempotency-store.ts expireIdempotency': 'By the time at which they end.',
  'src/messages/read/list-store.ts listMessages, no filter': 'Ends with the page, and reads far for some filters.',
  'src/messages/read/list-store.ts listMessages, no filter, by a test key':
    'Ends with the page, and reads far for some filters.',
  'src/messages/read/list-store.ts listMessages, no filter, a later page':
    'Ends with the page, and reads far for some filters.',
  'src/notifications/pack-store.ts findPacked': 'Packs hold nothing but what is to be applied at once.',
  'src/notifications/pack-store.ts listPacked': 'Packs hold nothing but what is to be applied at once.',
  'src/notifications/store.ts listNotifications, all': 'Ends with the page.',
  'src/notifications/store.ts listNotifications, applied': 'Ends with the page: nearly all are.',
  'src/platform-state/store.ts countWaitingDeliveries': 'Ends at a limit.',
  'src/queues/store.ts readDeliveryQueues': 'Ends at a limit.',
  'src/statistics/count-store.ts countMessages': 'Counts a minute of the account.',
  'src/statistics/due-store.ts sweepMessages': 'Reads what was made since the last sweep, once for all accounts.',
  'src/statistics/due-store.ts collectMarks': 'Takes any marks, and ends at a limit.',
};

/** Why a plan reads more of a growing table than it needs; empty if it does not. */
export function findWide({ fresh, full, drained }: Planned): string[] {
  return [...new Set([full, fresh, drained].flatMap(nodesOf).flatMap((node) => whyWide(node) ?? []))];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...node.parts.flatMap(nodesOf)];
}

function whyWide({ type, table, index, columns, condition = '' }: PlanNode): string | undefined {
  const read = table ?? GROWING.find((name) => index === `${name}_pkey` || index?.startsWith(`${name}_`));
  if (read === undefined || !GROWING.includes(read)) return undefined;
  if (type === 'Seq Scan') return `reads all of ${read}`;
  if (index === undefined || OF_WORK.includes(index)) return undefined;
  return isNarrow(read, columns, condition) ? undefined : `reads ${index} by ${condition || 'nothing'}`;
}

/**
 * A plan is narrow if it looks rows up by one account and also by one value of the next column of the index: an account may have millions
 * of rows, and most of them may lie on one side of a time. Notifications belong to no account.
 */
function isNarrow(table: string, columns: readonly string[], condition: string): boolean {
  // The mode does not count, because one of the two modes may have nearly all rows.
  const [first = '', second = ''] = columns.filter((column) => column !== 'mode');
  if (first !== 'account_id') return table === 'notification' && new RegExp(`\\b${first}\\b`).test(condition);
  return (isOne(first, condition) && isOne(second, condition)) || hasBothEnds(condition);
}

/** `column = ...`, which may also be one of a list. If the column is an expression, this goes by its first word. */
function isOne(column: string, condition: string): boolean {
  return new RegExp(column === 'case' ? '\\bEND = ' : `\\b${column} = `).test(condition);
}

/** A range between two rows, both given in the order of the index. */
function hasBothEnds(condition: string): boolean {
  return /ROW\([^)]*\) >=? .*ROW\([^)]*\) <=? /.test(condition);
}
