import type { Registry } from 'prom-client';

/** What every metric is told at its beginning. */
export interface MetricOptions<Name extends string> {
  name: string;
  help: string;
  labelNames: readonly Name[];
  registers: Registry[];
}

/** The values of a metric's labels, by name. */
export type Labels<Name extends string> = Readonly<Record<Name, string | number>>;

/** All series of one metric: one for each set of values that its labels have had. */
export interface AllSeries<Name extends string, Series> {
  /** Makes the series when it is first asked for. */
  find(labels: Labels<Name>): Series;
  /** In the order in which they were made. */
  list(): readonly Series[];
}

interface Branch<Series> {
  next: Map<string | number, Branch<Series>>;
  series: Series | undefined;
}

/**
 * Looks the values up one after another. prom-client makes one text of all of them for each observation and looks that up,
 * which takes three to four times as long (docs/decisions/0016-prom-client-and-open-telemetry.md).
 */
export function createAllSeries<Name extends string, Series>(
  names: readonly Name[],
  make: (labels: Labels<Name>) => Series,
): AllSeries<Name, Series> {
  const root: Branch<Series> = { next: new Map(), series: undefined };
  const made: Series[] = [];

  function find(labels: Labels<Name>): Series {
    let branch = root;
    for (const name of names) branch = branch.next.get(labels[name]) ?? grow(branch, labels[name]);
    if (branch.series === undefined) {
      // Of its own: the caller may go on with its object.
      branch.series = make({ ...labels });
      made.push(branch.series);
    }
    return branch.series;
  }

  // A metric without labels has its only series from the beginning, as in the library.
  const none: Partial<Labels<Name>> = {};
  if (areAll(names, none)) find(none);
  return { find, list: () => made };
}

function areAll<Name extends string>(names: readonly Name[], labels: Partial<Labels<Name>>): labels is Labels<Name> {
  return names.every((name) => name in labels);
}

function grow<Series>(branch: Branch<Series>, value: string | number): Branch<Series> {
  const grown: Branch<Series> = { next: new Map(), series: undefined };
  branch.next.set(value, grown);
  return grown;
}
