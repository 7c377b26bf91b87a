import { benchCallback } from './callback.ts';
import { benchCost, printCost } from './cost.ts';
import { benchEvents } from './events.ts';
import { benchGrowth } from './growth.ts';
import type { Cleanup } from './harness/cleanup.ts';
import type { Extent } from './harness/compare.ts';
import { printCallback, printEvents, printFigures, printGrowth, printSend } from './harness/report.ts';
import { figureRow, loneRow, type TableRow } from './harness/table.ts';
import { benchLimits } from './limits.ts';
import { benchSend } from './send.ts';
import { benchStart } from './start.ts';

export interface SuiteOptions {
  extent: Extent;
  /** How many events are stored in the log that is read. */
  storedEvents: number;
  /** For `growth`: how many messages are stored before it measures again. */
  messages: number;
  gatewayNodeOptions: string[];
}

/** The result of a suite. */
export interface Finished {
  /** Whether nothing was lost or doubled. */
  healthy: boolean;
  result: unknown;
  rows: TableRow[];
}

type Suite = (cleanup: Cleanup, options: SuiteOptions) => Promise<Finished>;

const isHealthy = ({ lost, doubled }: { lost: number; doubled: number }) => lost === 0 && doubled === 0;

/** Prints the figures, and then what else `printMore` has of the result. */
function tell<Result>(
  finished: Finished & { result: Result },
  printMore: (result: Result) => void = () => {},
): Finished {
  printFigures(finished.rows);
  printMore(finished.result);
  return finished;
}

/** The suites by name. Each runs, prints its result, and returns it. */
export const SUITES: Record<string, Suite> = {
  async send(cleanup, { extent, gatewayNodeOptions }) {
    const result = await benchSend(cleanup, extent, gatewayNodeOptions);
    const rows = result.comparisons.flatMap(({ figures }) => figures.map(figureRow));
    return tell({ healthy: isHealthy(result), result, rows }, printSend);
  },
  async callback(cleanup, { extent, gatewayNodeOptions }) {
    const result = await benchCallback(cleanup, extent, gatewayNodeOptions);
    return tell({ healthy: isHealthy(result), result, rows: rowsOf(result) }, printCallback);
  },
  async events(cleanup, { extent, storedEvents, gatewayNodeOptions }) {
    const result = await benchEvents(cleanup, { ...extent, storedEvents }, gatewayNodeOptions);
    return tell({ healthy: isHealthy(result), result, rows: rowsOf(result) }, printEvents);
  },
  async limits(cleanup, { extent }) {
    const result = await benchLimits(cleanup, extent);
    return tell({ healthy: true, result, rows: result.alone.map(loneRow) });
  },
  async start(cleanup, { extent }) {
    const result = await benchStart(cleanup, extent.rounds);
    const { firstSeconds, laterSeconds, targets } = result;
    const row = (name: string, values: typeof firstSeconds, max: number) =>
      loneRow({ name, values, target: { max }, reached: values.median <= max });
    const rows = [
      row('first start, fresh data folder: s', firstSeconds, targets.firstSecondsMax),
      row('later start: s', laterSeconds, targets.laterSecondsMax),
    ];
    return tell({ healthy: true, result, rows });
  },
  async cost(cleanup, { extent }) {
    const result = await benchCost(cleanup, extent);
    printCost(result);
    return { healthy: true, result, rows: [] };
  },
  async growth(cleanup, options) {
    const result = await benchGrowth(cleanup, options);
    return tell({ healthy: isHealthy(result), result, rows: rowsOf(result) }, printGrowth);
  },
};

function rowsOf({ compared, alone }: Pick<Awaited<ReturnType<typeof benchEvents>>, 'compared' | 'alone'>): TableRow[] {
  return [...compared.map(figureRow), ...alone.map(loneRow)];
}

/** The suites that run if none is named: all but those that fill a disk. */
export const ALL = ['send', 'callback', 'events', 'limits', 'start'];
