import { createGuardedAgent } from '../address/guarded-agent.ts';
import { createResolve, type Resolve } from '../address/resolve.ts';
import { type Post, type PostResult, post } from './post.ts';

/** For connecting and the whole answer. A promise to customers. */
const TIMEOUT_MS = 15_000;

/** Calls customers' servers. It never rejects for what the world does. */
export interface Poster {
  /** `local`: to loopback too. A call that `signal` breaks off is `closed`. */
  post(request: Post, local: boolean, signal?: AbortSignal): Promise<PostResult>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

interface PosterOptions {
  /** The name servers, unless a test has its own. */
  resolve?: Resolve;
  timeoutMs?: number;
  /** The HTTP proxy through which all but this machine is reached. */
  proxyUrl?: string | undefined;
}

/** One that calls in the thread that it is made in. */
export function createPoster(options: PosterOptions = {}): Poster {
  const { resolve = createResolve(), timeoutMs = TIMEOUT_MS, proxyUrl } = options;
  const worldAgent = createGuardedAgent(resolve, { local: false, timeoutMs, proxyUrl });
  const localAgent = createGuardedAgent(resolve, { local: true, timeoutMs, proxyUrl });
  return {
    post: (request, local, signal) => post(local ? localAgent : worldAgent, request, { timeoutMs, signal }),
    async close() {
      await Promise.all([worldAgent.destroy(), localAgent.destroy()]);
    },
  };
}
