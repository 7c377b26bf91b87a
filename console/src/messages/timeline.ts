import type { Message, TimelineStep } from '../api/message.ts';
import { spanOf } from '../parts/times.ts';

export interface DrawnStep extends TimelineStep {
  /** The place between the first and the last moment, from 0 to 100. */
  startPercent: number;
  endPercent: number;
  /** The time from the making of the message until the gateway learned of the step. */
  since: string;
  /** What is unusual about the step, in words; mostly empty. */
  remark: string;
}

const REMARKS: Record<string, string> = {
  late: 'Came late: the message was further already, so it changed nothing.',
  duplicate: 'Told twice: it changed nothing.',
};

/**
 * The history of a message as it is drawn. Each step begins where the one before ended, and ends when the gateway learned of it. The
 * provider's own times are in whole seconds and by its own clock, so the steps would be in the wrong order.
 */
export function drawTimeline({
  created_at: createdAt,
  timeline = [],
}: Pick<Message, 'created_at' | 'timeline'>): DrawnStep[] {
  const beginMs = Date.parse(createdAt);
  const knownMs = timeline.map(({ received_at: at }) => Math.max(beginMs, Date.parse(at)));
  const lengthMs = Math.max(1, ...knownMs.map((ms) => ms - beginMs));
  const percentOf = (ms: number) => ((ms - beginMs) / lengthMs) * 100;
  return timeline.map((step, place) => {
    const ms = knownMs[place] ?? beginMs;
    return {
      ...step,
      startPercent: percentOf(Math.min(ms, knownMs[place - 1] ?? beginMs)),
      endPercent: percentOf(ms),
      since: spanOf(ms - beginMs),
      remark: step.note === null ? '' : (REMARKS[step.note] ?? `${step.note.replaceAll('_', ' ')}.`),
    };
  });
}
