import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../../test/support/until.ts';
import type { Batch } from './batches.ts';
import { type Outcome, openReportFile } from './report-file.ts';
import { runBatches } from './run-batches.ts';
import { type RunState, writeRunState } from './run-state.ts';

/** Long ago an earlier run has begun what the report does not have. */
const OPEN_SINCE = '2026-01-31T12:00:00.000Z';
const STATE: RunState = {
  ...{ file: 'f', recipe: 'r', account: 'a', plan: 3, pid: process.pid },
  ...{ begun_at: OPEN_SINCE, reported: 0, open_since: OPEN_SINCE },
};
/** So often the state is written. */
const STATE_EVERY_MS = 5_000;

const outcomesOf = (batch: Batch): Outcome[] =>
  batch.rows.map(({ number, to }) => ({ row: number, to, status: 'accepted' }));

async function* batchesOf(count: number): AsyncGenerator<Batch> {
  for (let number = 0; number < count; number += 1) {
    const row = { number: number + 2, to: '+447700900123', recipient: undefined, fault: undefined };
    yield { number, before: number, text: 'hello', rows: [row] };
  }
}

it('four requests of a file are under way at most, and until they are reported the state says since when the first may be', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-run-'));
  t.after(() => rm(folder, { recursive: true }));
  const statePath = join(folder, 'state');
  const report = await openReportFile(join(folder, 'report.csv'), () => writeRunState(statePath, STATE));
  const stateOf = async () => JSON.parse(await readFile(statePath, 'utf8'));
  const first = Promise.withResolvers<Outcome[]>();
  const others = Promise.withResolvers<never>();
  const begun: Batch[] = [];
  const running = runBatches({
    batches: batchesOf(9),
    transmit(batch) {
      begun.push(batch);
      if (batch.number === 0) return first.promise;
      // It fails while the one before it is still awaited, which must not end the process.
      return batch.number === 1 ? Promise.reject(new Error('The second one failed')) : others.promise;
    },
    ...{ report, statePath, state: STATE, stop: new AbortController().signal, onProgress: () => undefined },
  });
  const beganMs = performance.now();
  await until(() => performance.now() - beganMs > STATE_EVERY_MS);
  assert.equal(begun.length, 4);
  assert.deepEqual(await stateOf(), STATE);
  first.resolve(begun.slice(0, 1).flatMap(outcomesOf));
  await assert.rejects(running, /The second one failed/);
  assert.deepEqual(await stateOf(), { ...STATE, reported: 1 }, 'an earlier run may have sent the others at that time');
  report.close();
});
