import type { Queryable } from '../store/database.ts';

/** How far a task has come. What it means is the task's own affair. */
export interface Progress {
  place: string | null;
  block: number;
}

/**
 * Other nodes skip a task that one is at work on. No task rests for longer than a day: one that seems to do so was put off before the
 * database's clock was set back.
 */
const TASK_CLAIM = `
  select place, block, floor(extract(epoch from now()) * 1000)::bigint as at_ms from keeping
  where task = $1 and (due_at <= now() or due_at > now() + interval '1 day') for update skip locked`;

/** Locks a task for this transaction, and tells the database's time. undefined: it is not due, or another node is at work on it. */
export async function claimTask(
  tx: Queryable,
  task: string,
): Promise<{ progress: Progress; atMs: number } | undefined> {
  const [row] = await tx.query<Progress & { at_ms: number }>(TASK_CLAIM, [task]);
  return row && { progress: { place: row.place, block: row.block }, atMs: row.at_ms };
}

const TASK_MOVE = `
  update keeping set place = $2, block = $3, due_at = now() + make_interval(secs => $4) where task = $1`;

export async function moveTask(
  tx: Queryable,
  task: string,
  { place, block }: Progress,
  pauseSeconds: number,
): Promise<void> {
  await tx.query(TASK_MOVE, [task, place, block, pauseSeconds]);
}
