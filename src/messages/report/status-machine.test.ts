import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { MessageStatus } from '../message.ts';
import { judgeReport } from './status-machine.ts';

const STATUSES: MessageStatus[] = [
  'pending',
  'transmitting',
  'unknown',
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'received',
];
const REPORTS = ['sent', 'delivered', 'read', 'failed'];

/** Every move that a notification may make, after a send that was not refused. */
const MOVES = new Set(
  `transmitting>sent transmitting>delivered transmitting>read transmitting>failed
   unknown>sent unknown>delivered unknown>read unknown>failed
   accepted>sent accepted>delivered accepted>read accepted>failed
   sent>delivered sent>read sent>failed
   delivered>read
   failed>delivered failed>read`.split(/\s+/),
);

const nothing: ReadonlySet<string> = new Set();

describe('a report of the provider', () => {
  for (const status of STATUSES)
    for (const report of REPORTS) {
      const moves = MOVES.has(`${status}>${report}`);
      it(`${moves ? 'takes a message' : 'does not take a message'} from ${status} to ${report}`, () => {
        const verdict = judgeReport({ status, outcome: null, reported: nothing }, report);
        const note = status === report ? 'duplicate' : 'late';
        assert.deepEqual(verdict, moves ? { kind: 'moves', to: report } : { kind: 'noted', note });
      });
    }

  it('takes a message from failed to sent only where the send itself was refused', () => {
    const judge = (outcome: MessageStatus | null, reported: string[] = []) =>
      judgeReport({ status: 'failed', outcome, reported: new Set(reported) }, 'sent').kind;
    assert.equal(judge('failed'), 'moves');
    for (const outcome of ['accepted', 'unknown', null] as const) assert.equal(judge(outcome), 'noted', `${outcome}`);
    assert.equal(judge('failed', ['failed']), 'noted', 'the provider has reported the failure as well');
  });

  it('of a status that we do not know is noted and changes nothing, and is a duplicate the second time', () => {
    for (const status of STATUSES) {
      const first = judgeReport({ status, outcome: null, reported: nothing }, 'played');
      assert.deepEqual(first, { kind: 'noted', note: null });
      const second = judgeReport({ status, outcome: null, reported: new Set(['played']) }, 'played');
      assert.deepEqual(second, { kind: 'noted', note: 'duplicate' });
    }
  });

  it('of a message whose status only a later version knows is noted and changes nothing', () => {
    const status: MessageStatus = JSON.parse('"played"');
    for (const report of REPORTS)
      assert.deepEqual(judgeReport({ status, outcome: 'accepted', reported: nothing }, report), {
        kind: 'noted',
        note: 'late',
      });
  });
});

/** What a sequence of reports makes of a message, as the store applies it. */
function run(outcome: MessageStatus, reports: readonly string[]) {
  let status = outcome;
  const reported = new Set<string>();
  const notes = reports.map((report) => {
    const verdict = judgeReport({ status, outcome, reported }, report);
    if (verdict.kind === 'moves') status = verdict.to;
    reported.add(report);
    return verdict.kind === 'moves' ? null : verdict.note;
  });
  return { status, notes };
}

describe('a sequence of reports', () => {
  const outcomes = fc.constantFrom<MessageStatus>('accepted', 'unknown', 'failed', 'transmitting');
  /** What the provider may tell of one message, in the order in which it happened. */
  const courses = fc.subarray(['sent', 'failed', 'delivered', 'read', 'played'], { minLength: 1 });
  const disordered = courses.chain((course) =>
    fc
      .array(fc.integer({ min: 1, max: 3 }), { minLength: course.length, maxLength: course.length })
      .map((copies) => course.flatMap((report, place) => Array<string>(copies[place] ?? 1).fill(report)))
      .chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }))
      .map((shuffled) => ({ course, shuffled })),
  );

  it('ends, shuffled and repeated, where the ordered single sequence ends', () => {
    fc.assert(
      fc.property(outcomes, disordered, (outcome, { course, shuffled }) => {
        assert.equal(run(outcome, shuffled).status, run(outcome, course).status);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never moves backwards, and calls each repetition a duplicate', () => {
    const rank = ['transmitting', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read'];
    fc.assert(
      fc.property(outcomes, fc.array(fc.constantFrom(...REPORTS), { maxLength: 12 }), (outcome, reports) => {
        const { status, notes } = run(outcome, reports);
        if (outcome !== 'failed') assert.ok(rank.indexOf(status) >= rank.indexOf(outcome));
        reports.forEach((report, place) => {
          if (reports.indexOf(report) < place) assert.equal(notes[place], 'duplicate');
        });
      }),
    );
  });
});
