/**
 * After this long without a sign of life a node's work is settled by others. What is younger than this cannot have been
 * settled by others, whatever happened to its node. Well inside the time below.
 */
export const LEASE_MS = 15_000;
/** Within this time others have settled what a node leaves that dies. It is promised, so that a longer lease breaks a promise. */
export const RECOVERY_MS = 2 * LEASE_MS;
