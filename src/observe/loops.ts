import { Counter, Gauge, type Registry } from 'prom-client';

/** Runs one round of a loop, and sees when it ended and how. */
export type WatchRound = <Value>(round: () => Promise<Value>) => Promise<Value>;

export interface Loops {
  /**
   * Begins to watch a loop that runs at least every `periodSeconds`. With `onDemand` it rests for as long as nobody needs
   * it, and is late only while a round is under way, or after one that failed until it is clear that nobody repeats it.
   */
  watch(loop: string, periodSeconds: number, onDemand?: 'onDemand'): WatchRound;
}

interface Loop {
  periodSeconds: number;
  onDemand: boolean;
  running: boolean;
  failed: boolean;
  goodAtMs: number;
  /** When its last round ended. */
  endedAtMs: number;
  lastSeconds: number;
}

/** A loop on demand that is needed begins its next round within one period. */
const RESTS_AFTER_PERIODS = 4;

/** For where nobody watches. */
export const unwatched: WatchRound = (round) => round();

export function createLoops(registry: Registry): Loops {
  const loops = new Map<string, Loop>();
  const rounds = new Counter({
    name: 'waypost_loop_rounds_total',
    help: 'Rounds of the background loops, by result.',
    labelNames: ['loop', 'result'],
    registers: [registry],
  });
  addGauges(registry, loops);
  return {
    watch(name, periodSeconds, onDemand) {
      const state = { onDemand: onDemand !== undefined, running: false, failed: false };
      const nowMs = performance.now();
      const loop: Loop = { ...state, periodSeconds, goodAtMs: nowMs, endedAtMs: nowMs, lastSeconds: 0 };
      loops.set(name, loop);
      return async (round) => {
        const begunMs = performance.now();
        if (isResting(loop)) loop.goodAtMs = begunMs;
        loop.running = true;
        try {
          const value = await round();
          loop.failed = false;
          loop.goodAtMs = performance.now();
          rounds.inc({ loop: name, result: 'done' });
          return value;
        } catch (error) {
          loop.failed = true;
          rounds.inc({ loop: name, result: 'failed' });
          throw error;
        } finally {
          loop.running = false;
          loop.endedAtMs = performance.now();
          loop.lastSeconds = (loop.endedAtMs - begunMs) / 1_000;
        }
      };
    },
  };
}

function addGauges(registry: Registry, loops: ReadonlyMap<string, Loop>): void {
  const gauge = (name: string, help: string, read: (loop: Loop) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['loop'],
      registers: [registry],
      collect() {
        for (const [loop, state] of loops) this.set({ loop }, read(state));
      },
    });
  gauge(
    'waypost_loop_lag_seconds',
    'Time since the last good round of a loop; the time that it rests by design counts too.',
    lagOf,
  );
  gauge('waypost_loop_period_seconds', 'How often a loop runs by itself, at least.', (loop) => loop.periodSeconds);
  gauge('waypost_loop_round_seconds', 'How long the last round of a loop took.', (loop) => loop.lastSeconds);
}

function lagOf(loop: Loop): number {
  return isResting(loop) ? 0 : (performance.now() - loop.goodAtMs) / 1_000;
}

/** Whether nobody needs it now. Who needed a round that failed may have gone meanwhile. */
function isResting({ onDemand, running, failed, periodSeconds, endedAtMs }: Loop): boolean {
  if (!onDemand || running) return false;
  return !failed || performance.now() - endedAtMs > RESTS_AFTER_PERIODS * periodSeconds * 1_000;
}
