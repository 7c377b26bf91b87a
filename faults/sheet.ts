import type { Books } from './balance/books.ts';
import { countFromMemory, entriesOf } from './balance/keys.ts';
import type { RunResult } from './run/run.ts';

/** The figures of one run, or of all runs together. */
export interface Sheet {
  runs: number;
  passed: number;
  sent: number;
  accepted: number;
  failed: number;
  unknown: number;
  taken: number;
  fromMemory: number;
  notifications: number;
  events: number;
  delivered: number;
  seconds: number;
  /** How often each fault was made. */
  faults: Record<string, number>;
}

export function sheetOf({ plan, books, faults, seconds }: RunResult): Sheet {
  const made = Map.groupBy(plan.faults, ({ kind }) => kind);
  return {
    runs: 1,
    passed: faults.length === 0 ? 1 : 0,
    ...(books === undefined ? NOTHING : figuresOf(books)),
    seconds,
    faults: Object.fromEntries([...made].map(([kind, list]) => [kind, list.length])),
  };
}

export function addSheets(sheets: readonly Sheet[]): Sheet {
  return sheets.reduce((sum, sheet) => ({ ...addFigures(sum, sheet), faults: addFigures(sum.faults, sheet.faults) }), {
    ...{ runs: 0, passed: 0, ...NOTHING, seconds: 0 },
    faults: {},
  });
}

const NOTHING = {
  ...{ sent: 0, accepted: 0, failed: 0, unknown: 0, taken: 0 },
  ...{ fromMemory: 0, notifications: 0, events: 0, delivered: 0 },
};

function figuresOf(books: Books) {
  const entries = books.sends.flatMap(({ answers }) => answers.slice(-1).flatMap(entriesOf));
  const count = (status: string) => entries.filter((entry) => entry.status === status).length;
  return {
    sent: entries.length,
    accepted: count('accepted'),
    failed: count('failed'),
    unknown: count('unknown'),
    taken: books.transmits.filter(({ taken }) => taken === 'yes').length,
    fromMemory: countFromMemory(books),
    notifications: books.bodies.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    events: books.logs.reduce((sum, { events }) => sum + events.length, 0),
    delivered: books.logs.reduce((sum, { endpoint }) => sum + (endpoint?.delivered.length ?? 0), 0),
  };
}

/** Adds the members that are numbers. A name that only one of the two has counts as 0 in the other. */
function addFigures<Figures extends object>(sum: Figures, more: Figures): Figures {
  const names = new Set([...Object.keys(sum), ...Object.keys(more)]);
  const added = [...names].map((name) => [
    name,
    Number(Reflect.get(sum, name) ?? 0) + Number(Reflect.get(more, name) ?? 0),
  ]);
  return { ...sum, ...Object.fromEntries(added) };
}

/** The figures of one run in one line. */
export function lineOf(seed: number, sheet: Sheet): string {
  const { sent, accepted, failed, unknown, taken, fromMemory, notifications, events, delivered, seconds, faults } =
    sheet;
  const broken = Object.entries(faults).map(([kind, times]) => (times === 1 ? kind : `${kind} x${times}`));
  return [
    `${sheet.passed === 1 ? 'ok    ' : 'FAILED'} seed ${seed}`,
    `sent ${sent}: accepted ${accepted}, failed ${failed}, unknown ${unknown}; taken ${taken}`,
    ...(fromMemory > 0 ? [`answered from memory ${fromMemory}`] : []),
    `notifications ${notifications}, events ${events}, delivered ${delivered}`,
    `${seconds.toFixed(1)} s`,
    broken.join(', '),
  ].join(' | ');
}

export function totalOf(sheet: Sheet): string {
  const broken = Object.entries(sheet.faults).sort(([a], [b]) => a.localeCompare(b));
  return `
${sheet.passed} of ${sheet.runs} runs balance, in ${Math.round(sheet.seconds)} s

  recipients sent        ${sheet.sent}
  answered accepted      ${sheet.accepted}
           failed        ${sheet.failed}
           unknown       ${sheet.unknown}
  taken by the provider  ${sheet.taken}
  answered from memory   ${sheet.fromMemory}
  notifications          ${sheet.notifications}
  events                 ${sheet.events}
  delivered              ${sheet.delivered}

  broken                 ${broken.map(([kind, times]) => `${kind} ${times}`).join(', ') || 'nothing'}`;
}
