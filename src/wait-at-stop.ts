import type { Logger } from 'pino';
import { msUntil } from './kernel/ms-until.ts';
import { withinMs } from './kernel/within-ms.ts';

/** Waits for the end of `what`, until `untilMs` at the latest, a time of `performance.now()`. The log tells what was left. */
export async function waitAtStop(
  log: Logger,
  what: string,
  work: Promise<unknown> | undefined,
  untilMs: number,
): Promise<void> {
  await withinMs<unknown>(Promise.resolve(work), msUntil(untilMs), () => log.warn({ what }, 'stop.not_waited_for'));
}
