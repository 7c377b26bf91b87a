import assert from 'node:assert/strict';
import { parseId } from '../../src/kernel/ids.ts';
import type { Received } from '../endpoints/receiver.ts';
import { until } from '../support/until.ts';
import type { ModelAccount, ModelEndpoint } from './model.ts';
import { isModelled, readLog, type ShownEvent } from './read-log.ts';
import type { Real } from './real.ts';

/** Waits until nothing is on its way to the endpoint. Asserts that it has got what it must have got, and nothing that it did not want. */
export async function untilDelivered(real: Real, owner: ModelAccount, endpoint: ModelEndpoint): Promise<void> {
  const { enabled, path, due, allowed } = endpoint;
  if (enabled) await until(async () => !(await isOnItsWay(real, endpoint)));
  const known = (await readTestLog(real, owner)).filter(isModelled);
  const got = new Set([...known.keys()].filter((place) => timesAt(real, path, known[place]) > 0));
  assert.deepEqual([...got.difference(allowed)], [], 'nothing that it did not want');
  if (enabled) assert.deepEqual([...due.difference(got)], [], 'everything that it wanted');
}

async function isOnItsWay({ gateway }: Real, { id }: ModelEndpoint): Promise<boolean> {
  const rows = await gateway.database.query('select from delivery where endpoint_id = $1', [parseId('end', id)]);
  return rows.length > 0;
}

/** The test events of an account, whatever its own keys may see. */
export async function readTestLog(real: Real, { id: accountId }: ModelAccount) {
  return readLog(real, await real.gateway.createKey({ accountId, mode: 'test' }), 100);
}

/** How often an event came to a path, after so many others. */
export function timesAt({ receiver }: Real, path: string, event: ShownEvent | undefined, after = 0): number {
  const whole = new URL(receiver.url).pathname + path;
  const isIt = ({ path: its, headers }: Received) => its === whole && headers['webhook-id'] === event?.id;
  return receiver.received.slice(after).filter(isIt).length;
}
