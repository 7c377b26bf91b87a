import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';

/** Who acted, where it was one of the platform's own keys: these are settings, and have no ids. */
export const PLATFORM = 'platform';

/** What may be done. docs/platform.md says of each when. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.updated',
  'account.deleted',
  'account.erased',
  'key.created',
  'key.rolled',
  'key.revoked',
  'channel.connected',
  'channel.updated',
  'channel.removed',
  'endpoint.created',
  'endpoint.changed',
  'endpoint.deleted',
  'endpoint.secret_rotated',
  'endpoint.replayed',
  'person.erase_requested',
  'person.erased',
  'notification.reprocessed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const AUDIT_INSERT = `
  insert into audit (id, account_id, actor, action, target, detail) values ($1, $2, $3, $4, $5, $6)`;

export interface AuditEntry {
  /** null for what concerns the platform alone. */
  accountId: string | null;
  /** The id of the account's key, or a word for the platform. */
  actor: string;
  action: AuditAction;
  /** The id of what was changed, as callers know it. */
  target: string;
  detail: unknown;
}

/** Written in the transaction of the change that it tells of, so that neither is there without the other. */
export async function insertAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { accountId, actor, action, target, detail } = entry;
  await tx.query(AUDIT_INSERT, [newId(), accountId, actor, action, target, JSON.stringify(detail)]);
}

const AUDIT_COLUMNS = 'id, account_id, actor, action, target, detail, at';

const AUDIT_LIST = `
  select ${AUDIT_COLUMNS} from audit
  where $1::uuid is null and ($2::uuid is null or id < $2) order by id desc limit $3`;

/** A text of its own, so that a quiet account's entries are found by their index among all others. */
const AUDIT_LIST_OF_ACCOUNT = `
  select ${AUDIT_COLUMNS} from audit
  where account_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`;

export interface AuditRow {
  id: string;
  account_id: string | null;
  actor: string;
  action: string;
  target: string;
  detail: unknown;
  at: Date;
}

/** A page of the audit log, newest first. `accountId` null: of all accounts and of the platform. */
export function listAuditRows(
  store: Queryable,
  accountId: string | null,
  before: string | null,
  limit: number,
): Promise<AuditRow[]> {
  return store.query<AuditRow>(accountId === null ? AUDIT_LIST : AUDIT_LIST_OF_ACCOUNT, [accountId, before, limit]);
}
