/**
 * After this long without a sign of life a node's work is settled by others. So work that is younger than this cannot have been settled
 * by others, whatever happened to its node. It is well inside the time below.
 */
export const LEASE_MS = 15_000;
/** Within this time others have settled what a node that died has left. This is promised, so a longer lease would break a promise. */
export const RECOVERY_MS = 2 * LEASE_MS;
