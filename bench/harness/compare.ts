import { type Spread, spreadOf } from './figures.ts';
import type { Load } from './load.ts';
import { type CpuUsed, cpuSeconds, cpuSince, microsEach } from './usage.ts';

/** How much is measured: short for a glance, full for a figure to keep. */
export interface Extent {
  rounds: number;
  roundMs: number;
  warmUpMs: number;
}

/** One thing that is done on both sides in turn, and the figures that are taken from it. */
export interface Comparison {
  /** How long the provider takes for each message. */
  providerDelayMs: number;
  recipients: number;
  gateway(): Promise<Load>;
  baseline(): Promise<Load>;
  figures: Figure[];
}

export interface Figure {
  name: string;
  of(load: Load): number;
  /** How the figure of the gateway is compared with that of the baseline: divided by it, or less it. */
  by: 'ratio' | 'difference';
  /** null: the figure has no target, and is only shown. */
  target: { min: number } | { max: number } | null;
}

export interface FigureResult {
  name: string;
  gateway: Spread;
  baseline: Spread;
  by: Figure['by'];
  compared: Spread;
  target: Figure['target'];
  reached: boolean;
}

export interface ComparisonResult {
  figures: FigureResult[];
  /** Processor time for each message, in microseconds. */
  cpuMicros: CpuUsed;
  lost: number;
  doubled: number;
}

interface Deps {
  gatewayPid: number;
  /** Returns what the provider has taken since the last call, and sets how long it takes for each message from now on. */
  providerTurn(delayMs: number): Promise<{ taken: number; different: number }>;
  extent: Extent;
}

/** Runs both sides in turn, several times, and compares them within each round. So a machine that is busy is busy for both. */
export async function compare(
  { gatewayPid, providerTurn, extent }: Deps,
  comparison: Comparison,
): Promise<ComparisonResult> {
  const { providerDelayMs: delayMs, recipients, figures } = comparison;
  const rounds: { gateway: Load; baseline: Load }[] = [];
  const total = { messages: 0, lost: 0, doubled: 0 };
  const cpu: CpuUsed[] = [];
  for (let round = 0; round < extent.rounds; round++) {
    await providerTurn(delayMs);
    const before = cpuSeconds(gatewayPid);
    const gateway = await comparison.gateway();
    cpu.push(cpuSince(before, gatewayPid));
    const { taken, different } = await providerTurn(delayMs);
    total.messages += gateway.requests * recipients;
    total.lost += Math.abs(gateway.requests * recipients - different);
    total.doubled += taken - different;
    rounds.push({ gateway, baseline: await comparison.baseline() });
  }
  return {
    figures: figures.map((figure) => readFigure(figure, rounds)),
    cpuMicros: microsEach(cpu, total.messages),
    lost: total.lost,
    doubled: total.doubled,
  };
}

/** Compares the two sides round by round. */
export function readFigure(
  { name, of, by, target }: Figure,
  rounds: readonly { gateway: Load; baseline: Load }[],
): FigureResult {
  const gateway = rounds.map((round) => of(round.gateway));
  const baseline = rounds.map((round) => of(round.baseline));
  const compared = spreadOf(
    gateway.map((ours, round) => {
      const theirs = baseline[round] ?? Number.NaN;
      return by === 'ratio' ? ours / theirs : ours - theirs;
    }),
  );
  const reached = reaches(compared, target);
  return { name, gateway: spreadOf(gateway), baseline: spreadOf(baseline), by, compared, target, reached };
}

/** A figure without a baseline, because no baseline does the same. */
export interface LoneResult {
  name: string;
  values: Spread;
  target: Figure['target'];
  reached: boolean;
}

export function readAlone(name: string, measured: readonly number[], target: Figure['target']): LoneResult {
  const values = spreadOf(measured);
  return { name, values, target, reached: reaches(values, target) };
}

function reaches({ median }: Spread, target: Figure['target']): boolean {
  if (target === null) return true;
  return 'min' in target ? median >= target.min : median <= target.max;
}
