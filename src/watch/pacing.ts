import type { Pacing, Turn } from '../channels/pacing.ts';
import type { SendMetrics } from '../observe/send-metrics.ts';

/** Counts the turns of live channels; the others have no need of one. */
export function watchPacing(pacing: Pacing, metrics: SendMetrics): Pacing {
  return {
    ...pacing,
    async turnsFor(channel, people, deadlineMs) {
      const turns = await pacing.turnsFor(channel, people, deadlineMs);
      if (channel.sender.mode === 'live') countTurns(metrics, turns);
      return turns;
    },
    async anotherTurn(channel, deadlineMs) {
      const turn = await pacing.anotherTurn(channel, deadlineMs);
      if (channel.sender.mode === 'live') countTurns(metrics, [turn]);
      return turn;
    },
  };
}

function countTurns(metrics: SendMetrics, turns: readonly Turn[]): void {
  const nowMs = performance.now();
  const counts = { now: 0, later: 0, never: 0 };
  for (const turn of turns) {
    counts[turn.kind] += 1;
    if (turn.kind === 'later') metrics.step('pace_wait', Math.max(0, turn.atMs - nowMs) / 1_000);
  }
  for (const [kind, count] of Object.entries(counts)) if (count > 0) metrics.turn(kind, count);
}
