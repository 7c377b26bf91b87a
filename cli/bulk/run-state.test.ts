import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkOpenRows, type RunState } from './run-state.ts';

const REPORT = 'people.csv.report.csv';
const DAYS_AGO = new Date(Date.now() - 3 * 86_400_000).toISOString();
/** As after a power cut: the next start of the machine has given the number of the process to another one. */
const BROKEN_OFF: RunState = {
  ...{ file: 'f', recipe: 'r', account: 'a', plan: 3, pid: process.ppid },
  ...{ begun_at: DAYS_AGO, reported: 100, open_since: DAYS_AGO },
};

it('a process that may be another one by now hides nobody who may get a message twice from whoever is told to add --force', () => {
  assert.throws(() => checkOpenRows(BROKEN_OFF, 100, REPORT), {
    message: /^Process \d+ is at work on [\s\S]*24 hours[\s\S]*after number 100 [\s\S]*With --force .* twice\.$/,
  });
  const inTime = { ...BROKEN_OFF, open_since: new Date().toISOString() };
  assert.throws(() => checkOpenRows(inTime, 100, REPORT), { message: /^Process \d+ is at work on .* add --force\.$/ });
  assert.throws(() => checkOpenRows({ ...BROKEN_OFF, pid: 0 }, 100, REPORT), { message: /^This send was broken off/ });
});
