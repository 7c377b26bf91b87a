import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { ModelAccount, ModelEndpoint } from './model.ts';
import { isModelled, readLog } from './read-log.ts';
import type { Real } from './real.ts';

/** Waits until it has got what it must have got. Asserts that it has got nothing that it did not want. */
export async function untilDelivered(real: Real, owner: ModelAccount, endpoint: ModelEndpoint): Promise<void> {
  const { enabled, path, due, allowed } = endpoint;
  const known = (await readTestLog(real, owner)).filter(isModelled);
  const sequenceAt = (place: number) => known[place]?.sequence ?? 0;
  if (enabled) await until(() => [...due].every((place) => timesAt(real, path, sequenceAt(place)) > 0));
  const unwanted = known.filter((_, place) => !allowed.has(place) && timesAt(real, path, sequenceAt(place)) > 0);
  assert.deepEqual(unwanted, []);
}

/** The test events of an account, whatever its own keys may see. */
export async function readTestLog(real: Real, { id: accountId }: ModelAccount) {
  return readLog(real, await real.gateway.createKey({ accountId, mode: 'test' }), 100);
}

/** How often an event came to a path. */
export function timesAt({ receiver }: Real, path: string, sequence: number): number {
  return receiver.sequencesAt(path).filter((other) => other === sequence).length;
}
