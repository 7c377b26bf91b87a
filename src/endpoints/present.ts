import { formatId } from '../kernel/ids.ts';
import type { AttemptRow } from './deliver/attempt-store.ts';
import type { ShownEndpoint } from './store.ts';

/** An endpoint as its owner sees it: never with its secret. */
export function presentEndpoint(row: ShownEndpoint) {
  return {
    id: formatId('end', row.id),
    url: row.url,
    types: row.types,
    description: row.description,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function presentAttempt(row: AttemptRow) {
  return {
    id: formatId('att', row.id),
    event_id: formatId('evt', row.event_id),
    type: row.type,
    number: row.number,
    at: row.at.toISOString(),
    outcome: row.outcome,
    http_status: row.http_status,
    error: row.error,
    duration_ms: row.duration_ms,
    answer: row.answer,
    next_at: row.next_at?.toISOString() ?? null,
  };
}
