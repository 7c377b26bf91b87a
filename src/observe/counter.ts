import { Counter } from 'prom-client';
import { createAllSeries, type Labels, type MetricOptions } from './series.ts';

/** A count that only grows, for each set of values of its labels. */
export interface Count<Name extends string> {
  /** `by` is not negative; 1 unless told. 0 has the series shown before it first counts. */
  inc(labels: Labels<Name>, by?: number): void;
}

/** A counter of prom-client for what happens often: it is told at a scrape what has come together since the one before. */
export function createCounter<Name extends string>(options: MetricOptions<Name>): Count<Name> {
  const all = createAllSeries(options.labelNames, (labels) => ({ labels, untold: 0 }));
  new Counter<Name>({
    ...options,
    collect() {
      for (const series of all.list()) {
        this.inc(series.labels, series.untold);
        series.untold = 0;
      }
    },
  });
  return {
    inc(labels, by = 1) {
      all.find(labels).untold += by;
    },
  };
}
