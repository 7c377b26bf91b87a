import type { Post, PostResult } from './post.ts';

/** What the gateway's thread has to say since its last message, to the thread that calls. */
export interface ToThread {
  calls: { id: number; request: Post; local: boolean }[];
  /** The ids of calls that are to end now. */
  breakOff: number[];
}

/** What the thread that calls has to say since its last message. */
export type FromThread = { id: number; result: PostResult }[];
