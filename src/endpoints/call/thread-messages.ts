import type { Post, PostResult } from './post.ts';

/** What the gateway's thread wants of the one that calls, in its order. A call that is broken off still has a result. */
export type Order = { kind: 'call'; id: number; request: Post; local: boolean } | { kind: 'break_off'; id: number };

/** What came of a call. */
export interface Told {
  id: number;
  result: PostResult;
}
