import type { Sample } from './sample.ts';
import type { SoakResult } from './soak.ts';

const BARS_MAX = 50;
/** A long soak is shown in at most so many lines. */
const LINES_MAX = 30;

/** Memory and latency over time as bars of text, and the verdict. */
export function chartOf(result: SoakResult): string {
  const shown = thin(result.samples);
  const highest = Math.max(...shown.map(({ memoryMb }) => memoryMb));
  const bars = shown.map(({ minute, memoryMb, p99Ms }) => {
    const bar = '#'.repeat(Math.round((BARS_MAX * memoryMb) / highest));
    return `${String(minute).padStart(4)} min  ${bar.padEnd(BARS_MAX)} ${memoryMb.toFixed(0)} MB, p99 ${p99Ms.toFixed(1)} ms`;
  });
  return ['', ...bars, '', ...verdictOf(result)].join('\n');
}

/** The same as a page, with all samples. */
export function pageOf(result: SoakResult): string {
  const rows = thin(result.samples).map((sample) => `| ${cellsOf(sample).join(' | ')} |`);
  return `# Soak

\`npm run soak -- --minutes ${result.minutes} --rate ${result.perSecond}\`: ${result.perSecond} sends a second, each with three statuses and three
deliveries, through one gateway with its embedded database.

${verdictOf(result).join('  \n')}

| minute | sends | p50 ms | p99 ms | memory MB | heap MB | files | connections | loop lag ms | queue lag s | disk MB | gateway % | database % |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function verdictOf({ counts, growth, growthMax, healthy }: SoakResult): string[] {
  return [
    ...counts.map(
      ({ what, expected, lost, doubled }) => `${what}: ${expected} expected, lost ${lost}, doubled ${doubled}`,
    ),
    `memory of the last twelve minutes against the first: ${growth.toFixed(2)} (at most ${growthMax})`,
    healthy ? 'All is well.' : 'NOT WELL.',
  ];
}

function cellsOf(sample: Sample): string[] {
  const { minute, sends, p50Ms, p99Ms, memoryMb, heapMb, openFiles, databaseConnections } = sample;
  const { eventLoopLagMs, queueLagSeconds, diskMb, cpuPercent } = sample;
  return [
    ...[minute, sends].map(String),
    ...[p50Ms, p99Ms].map((value) => value.toFixed(1)),
    ...[memoryMb, heapMb].map((value) => value.toFixed(0)),
    ...[openFiles, databaseConnections].map(String),
    ...[eventLoopLagMs, queueLagSeconds].map((value) => value.toFixed(1)),
    ...[diskMb, cpuPercent.gateway, cpuPercent.database].map((value) => value.toFixed(0)),
  ];
}

function thin(samples: readonly Sample[]): Sample[] {
  const step = Math.ceil(samples.length / LINES_MAX);
  return samples.filter(({ minute }) => minute === 1 || minute % step === 0 || minute === samples.length);
}
