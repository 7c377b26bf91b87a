import { createPoster, type Poster } from './poster.ts';
import { PosterThread } from './poster-thread.ts';

export interface StartedPoster extends Poster {
  /** How long the thread for TLS has worked so far. */
  busySeconds(): number;
}

/** Calls over TLS in a thread of its own. What goes to this machine without TLS costs little, and is called from this thread. */
export function startPoster(): StartedPoster {
  const thread = new PosterThread();
  const here = createPoster();
  return {
    post: (request, ...how) => (request.origin.startsWith('https:') ? thread : here).post(request, ...how),
    busySeconds: () => thread.busySeconds(),
    async close() {
      await Promise.all([thread.close(), here.close()]);
    },
  };
}
