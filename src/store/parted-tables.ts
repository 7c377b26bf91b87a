/**
 * The tables that are parted by week. A table stands before those that its rows refer to: weeks are dropped in this order, so that
 * nothing refers to what is gone.
 */
export const PARTED_TABLES = ['timeline', 'message', 'request', 'attempt', 'event', 'notification'] as const;
export type PartedTable = (typeof PARTED_TABLES)[number];
