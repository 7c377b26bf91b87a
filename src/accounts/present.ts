import { formatId } from '../kernel/ids.ts';
import { SCOPES } from '../kernel/principal.ts';
import type { AuditRow } from './audit-store.ts';
import type { KeyRow } from './key-store.ts';
import type { AccountRow } from './store.ts';

/** An account as the platform reads it, and as events tell of it. */
export function presentAccount(row: AccountRow) {
  return {
    id: row.id,
    name: row.name,
    suspended: row.suspended_at !== null,
    created_at: row.created_at.toISOString(),
  };
}

/** A key without itself: that is shown once, when it is made. */
export function presentKey(row: KeyRow) {
  return {
    id: formatId('key', row.id),
    account_id: row.account_id,
    name: row.name,
    mode: row.mode,
    scopes: row.scopes ?? [...SCOPES],
    expires_at: row.expires_at?.toISOString() ?? null,
    rolled_at: row.rolled_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

export function presentAudit(row: AuditRow) {
  return {
    id: formatId('aud', row.id),
    at: row.at.toISOString(),
    account_id: row.account_id,
    actor: row.actor,
    action: row.action,
    target: row.target,
    detail: row.detail,
  };
}
