import assert from 'node:assert/strict';
import type { Database } from '../../src/store/database.ts';
import type { SandboxProcess } from '../support/sandbox-process.ts';
import type { Sent } from './callers.ts';

/** How much was sent, answered and taken. */
export interface BalanceSheet {
  requests: number;
  sent: number;
  accepted: number;
  failed: number;
  unknown: number;
  /** How many entries have each error, and what it tells in detail. */
  errors: Record<string, number>;
  /** `taken`: transmits that the sandbox took. `read`: all transmits that it has read. */
  taken: number;
  read: number;
  /** People who got a message more than once. */
  doubled: number;
  /** Messages that were answered as accepted although the sandbox never took them, and requests that the store does not know. */
  lost: number;
  /** Messages that were answered as failed although the sandbox took them. */
  denied: number;
  /** How many calls were repeated, by the answer before. */
  repeated: Record<string, number>;
}

/** Every person gets one message here. So a number that was taken twice means that a message was sent twice. */
export async function balance(sent: readonly Sent[], sandbox: SandboxProcess, db: Database): Promise<BalanceSheet> {
  const entries = sent.flatMap(({ results }) => results);
  const transmits = await sandbox.transmits();
  const taken = transmits.filter((transmit) => transmit.taken);
  const takenIds = new Set(taken.map((transmit) => transmit.biz_opaque_callback_data));
  const accepted = entries.filter(({ status }) => status === 'accepted');
  const stored = await db.query<{ id: string }>('select id::text from request');
  return {
    requests: sent.length,
    sent: sent.flatMap(({ to }) => to).length,
    accepted: accepted.length,
    failed: entries.filter(({ status }) => status === 'failed').length,
    unknown: entries.filter(({ status }) => status === 'unknown').length,
    taken: taken.length,
    read: transmits.length,
    doubled: taken.length - new Set(taken.map(({ to }) => to)).size,
    lost: accepted.filter(({ id }) => !takenIds.has(id ?? '')).length + Math.max(0, sent.length - stored.length),
    denied: entries.filter(({ status, id }) => status === 'failed' && takenIds.has(id ?? '')).length,
    errors: countEach(
      entries.flatMap(({ error }) => (error === undefined ? [] : [[error.code, error.detail].join(' ').trim()])),
    ),
    repeated: countEach(sent.flatMap(({ repeated }) => repeated)),
  };
}

function countEach(words: readonly string[]): Record<string, number> {
  const alike = Map.groupBy(words, (word) => word).entries();
  return Object.fromEntries(alike.map(([word, all]) => [word, all.length]));
}

/** What must be true whatever happened: everybody has an entry, and nothing is doubled, lost, denied or still under way. */
export async function assertBalanced(sheet: BalanceSheet, db: Database): Promise<void> {
  const told = JSON.stringify(sheet);
  assert.equal(sheet.accepted + sheet.failed + sheet.unknown, sheet.sent, told);
  assert.equal(sheet.doubled, 0, told);
  assert.equal(sheet.lost, 0, told);
  assert.equal(sheet.denied, 0, told);
  const statuses = await countStatuses(db);
  assert.equal(statuses.transmitting ?? 0, 0, JSON.stringify(statuses));
  assert.equal(statuses.pending ?? 0, 0, JSON.stringify(statuses));
  const [running] = await db.query<{ count: number }>(
    'select count(*) as count from request where completed_at is null',
  );
  assert.equal(running?.count, 0, 'no request is left under way');
}

/** How many outbound messages have each status. */
export async function countStatuses(db: Database): Promise<Partial<Record<string, number>>> {
  const rows = await db.query<{ status: string; count: number }>(
    `select status, count(*) as count from message where direction = 'outbound' group by status`,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
