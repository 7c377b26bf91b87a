/**
 * Erasing ends no sooner than so long after it was asked for. A send that was under way then has written all it knows: it
 * has 25 s, a late answer 60 s more, and the recovery of a crash 30 s.
 */
export const SETTLED_SECONDS = 120;
