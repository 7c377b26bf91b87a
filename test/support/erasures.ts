import assert from 'node:assert/strict';
import { eraseDeletedAccount } from '../../src/erasure/delete-account.ts';
import { eraseRound } from '../../src/erasure/erase-round.ts';
import { settledAfterMs } from '../../src/erasure/settled.ts';
import type { Database } from '../../src/store/database.ts';
import type { TestGateway } from './gateway.ts';
import { until } from './until.ts';

/** How long work may be under way with the default limits. */
export const SETTLED_MS = settledAfterMs({ sendDeadlineMs: 25_000, providerTimeoutMs: 10_000 });

/** Asks for a person to be erased from the account of the tests, or from another one. Returns the answer. */
export function askToErase(gateway: TestGateway, body: object, accountId = gateway.accountId) {
  return gateway.call('POST', `/platform/v1/accounts/${accountId}/erase`, { key: gateway.platformKey, body });
}

/** Asks to erase the person with a number that can be read. */
export async function erase(gateway: TestGateway, to: string): Promise<void> {
  assert.equal((await askToErase(gateway, { to })).status, 202);
}

/** Lets the second pass of each erasure come at once, although messages under way may still be written. */
export async function letErasuresSettle(database: Database): Promise<void> {
  await database.query('update erasure set due_at = now() where due_at > now()');
}

/** Lets all erasures of persons go on at once, and waits until they are done. */
export async function endErasures(database: Database, settledMs = SETTLED_MS): Promise<void> {
  await until(async () => {
    await letErasuresSettle(database);
    await eraseRound(database, settledMs);
    return (await database.query('select 1 from erasure')).length === 0;
  });
}

/** Erases all deleted accounts, as if nothing of theirs could be under way any more. */
export async function endDeletions(database: Database): Promise<void> {
  while (await eraseDeletedAccount(database, 0));
}
