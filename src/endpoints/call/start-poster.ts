import { systemClock } from '../../kernel/clock.ts';
import { createAnswering } from './answering.ts';
import type { Post, PostResult } from './post.ts';
import { createPoster } from './poster.ts';
import { PosterThread } from './poster-thread.ts';

/** As a `Poster`, and knows whose endpoint it calls. */
export interface AccountsPoster {
  post(request: Post, local: boolean, signal: AbortSignal | undefined, accountId: string): Promise<PostResult>;
  close(): Promise<void>;
}

export interface StartedPoster extends AccountsPoster {
  /** How long each thread for TLS has worked so far. */
  busySeconds(): Record<'answering' | 'apart', number>;
}

/**
 * Makes calls over TLS in two threads of their own: one for accounts whose endpoints answer, and one for all others, whose handshakes may
 * be made to cost much. Calls to this machine without TLS cost little, and are made from this thread.
 * `proxyUrl`: the HTTP proxy through which all but this machine is reached.
 */
export function startPoster(proxyUrl?: string): StartedPoster {
  const answering = createAnswering(systemClock);
  const threads = { answering: new PosterThread({ proxyUrl }), apart: new PosterThread({ proxyUrl }) };
  const here = createPoster({ proxyUrl });
  return {
    async post(request, local, signal, accountId) {
      if (!request.origin.startsWith('https:')) return here.post(request, local, signal);
      const thread = answering.has(accountId) ? threads.answering : threads.apart;
      const result = await thread.post(request, local, signal);
      if (!signal?.aborted) answering.note(accountId, result);
      return result;
    },
    busySeconds: () => ({ answering: threads.answering.busySeconds(), apart: threads.apart.busySeconds() }),
    async close() {
      await Promise.all([threads.answering.close(), threads.apart.close(), here.close()]);
    },
  };
}
