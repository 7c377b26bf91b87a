import UPlot from 'uplot';
import { zonedFormat } from '../parts/zoned-format.ts';
import type { Series } from './series.ts';

interface Drawing {
  unit: string;
  /** In seconds. */
  times: number[];
  series: Series[];
  format: (value: number) => string;
  width: number;
  isDark: boolean;
  /** Whether the axis is in UTC. Otherwise it is in the reader's own zone. */
  isUtc: boolean;
  /** Called with the place of the time at the pointer; null if the pointer is elsewhere. */
  onPoint(place: number | null): void;
}

const HEIGHT = 220;
const DAY_SECONDS = 86_400;
/** What is drawn around a single bucket, which is a minute. By itself the axis would take years. */
const ALONE_SECONDS = 300;

/** Draws lines over time. It takes its colours from the page, so it must be called again when the colour scheme changes. */
export function drawChart(box: HTMLElement, drawing: Drawing): UPlot {
  const { unit, times, series, format, width, isUtc, onPoint } = drawing;
  const colour = (name: string) => colourOf(box, name);
  const axis = {
    stroke: colour('text-soft'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
  };
  const options: UPlot.Options = {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    tzDate: (seconds) => {
      const date = new Date(seconds * 1_000);
      return isUtc ? UPlot.tzDate(date, 'Etc/UTC') : date;
    },
    scales: { x: { time: true, ...aloneRange(times) }, y: { range: (_, __, max) => [0, niceMax(max)] } },
    axes: [
      { ...axis, values: (_, splits) => splits.map((split) => timeLabel(split, times, isUtc)), space: 70 },
      { ...axis, label: unit, labelSize: 24, size: 62, values: (_, splits) => splits.map((split) => format(split)) },
    ],
    series: [
      {},
      ...series.map(({ label, tone, dash }) => ({
        label,
        stroke: colour(`chart-${tone}`),
        dash,
        width: 2,
        points: {
          show: times.length < 60,
          filter: (_: UPlot, place: number, all: boolean) =>
            all ? null : lonelyPlaces(series[place - 1]?.values ?? []),
          size: 5,
          fill: colour('surface'),
        },
      })),
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  };
  return new UPlot(options, [times, ...series.map(({ values }) => values)], box);
}

/** The axis of a single bucket. */
function aloneRange([only, ...others]: number[]): { range?: [number, number] } {
  return only === undefined || others.length > 0 ? {} : { range: [only - ALONE_SECONDS, only + ALONE_SECONDS] };
}

/** A canvas does not know custom properties, so the browser is asked for the colour. */
function colourOf(box: HTMLElement, name: string): string {
  const probe = box.appendChild(document.createElement('span'));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Leaves room above the highest line, and gives an axis even if everything is 0. */
function niceMax(max: number | null): number {
  return max === null || max <= 0 ? 1 : max * 1.08;
}

/** The places of values with a gap on both sides. No line leads to them, so without a point they would not be seen. */
function lonelyPlaces(values: readonly (number | null)[]): number[] {
  const isGap = (place: number) => (values[place] ?? null) === null;
  return [...values.keys()].filter((place) => !isGap(place) && isGap(place - 1) && isGap(place + 1));
}

const asHour = zonedFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const asDay = zonedFormat({ month: 'short', day: 'numeric' });

/** The hour, if the times span a few days at most. Where the day changes, and over longer spans, the day. */
function timeLabel(seconds: number, times: number[], isUtc: boolean): string {
  const date = new Date(seconds * 1_000);
  const length = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const isMidnight = isUtc
    ? date.getUTCHours() === 0 && date.getUTCMinutes() === 0
    : date.getHours() === 0 && date.getMinutes() === 0;
  return (isMidnight || length > 3 * DAY_SECONDS ? asDay : asHour)(date, isUtc);
}
