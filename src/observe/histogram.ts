import { Histogram } from 'prom-client';
import { createAllSeries, type Labels, type MetricOptions } from './series.ts';

interface HistogramOptions<Name extends string> extends MetricOptions<Name> {
  /** Ascending. */
  buckets: readonly number[];
}

/** How often values of each size have come, for each set of values of its labels. */
export interface Observations<Name extends string> {
  /** Throws for what is no finite number: it would spoil the sum for good. */
  observe(labels: Labels<Name>, value: number): void;
}

interface Series<Name extends string> {
  labels: Labels<Name>;
  /** How many were in each bucket and in none before it. */
  inBucket: number[];
  count: number;
  sum: number;
}

/**
 * A histogram of prom-client for what is observed often. That library has no way to be told many observations at once, so what its
 * registry asks it for is answered here; histogram.test.ts compares the two.
 */
export function createHistogram<Name extends string>(options: HistogramOptions<Name>): Observations<Name> {
  const { name, help, labelNames, buckets } = options;
  const make = (labels: Labels<Name>): Series<Name> => ({ labels, inBucket: buckets.map(() => 0), count: 0, sum: 0 });
  const all = createAllSeries(labelNames, make);
  const asked = async () => ({
    ...{ name, help, type: 'histogram', aggregator: 'sum' },
    values: all.list().flatMap((series) => valuesOf(name, buckets, series)),
  });
  Object.assign(new Histogram({ ...options, buckets: [...buckets] }), {
    getForPromString: asked,
  });
  return {
    observe(labels, value) {
      if (!Number.isFinite(value)) throw new TypeError(`${name} was to observe ${value}`);
      const series = all.find(labels);
      series.sum += value;
      series.count += 1;
      let bucket = 0;
      while (bucket < buckets.length && value > (buckets[bucket] ?? 0)) bucket += 1;
      if (bucket < buckets.length) series.inBucket[bucket] = (series.inBucket[bucket] ?? 0) + 1;
    },
  };
}

/** In the library's own form. */
function valuesOf<Name extends string>(name: string, buckets: readonly number[], series: Series<Name>) {
  const { labels: sharedLabels, inBucket, count, sum } = series;
  let soFar = 0;
  const upTo = buckets.map((le, index) => {
    soFar += inBucket[index] ?? 0;
    return { labels: { le }, sharedLabels, value: soFar, metricName: `${name}_bucket` };
  });
  return [
    ...upTo,
    { labels: { le: '+Inf' }, sharedLabels, value: count, metricName: `${name}_bucket` },
    { labels: {}, sharedLabels, value: sum, metricName: `${name}_sum` },
    { labels: {}, sharedLabels, value: count, metricName: `${name}_count` },
  ];
}
