import { askSeldom } from '../kernel/ask-seldom.ts';
import { formatId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { unavailable } from '../kernel/unavailable.ts';
import { healthOperations } from './health-operations.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import { type Answer, publicRoute, type Route } from './route.ts';

/** Every balancer asks every second or so. The store is not asked more often than this. */
const BELIEVED_MS = 1_000;
/** A commit may wait for a synchronous standby as long as that is away. A probe must get its answer before it gives up. */
const COMMIT_WAIT_MS = 900;

/** Why it takes no work. */
export const NOT_READY_REASONS = ['starting', 'stopping', 'database'] as const;
type Reason = (typeof NOT_READY_REASONS)[number];
export const NOT_READY_DETAILS: Readonly<Record<Reason, string>> = {
  starting: 'The service is starting.',
  stopping: 'The service is shutting down.',
  database: 'The database does not commit.',
};

interface Deps {
  accepting(): boolean;
  /** True once it is known that the process will stop. */
  leaving(): boolean;
  /** Commits something small; throws `StoreUnavailable` if it cannot. */
  commit(): Promise<void>;
  /** The base of the error pages, without a final slash. */
  docsUrl(): string;
}

/** `/healthz`: the process lives. `/readyz`: it takes work, which it does not while it drains or cannot commit. */
export function healthRoutes({ accepting, leaving, commit, docsUrl }: Deps): Route[] {
  const limits = { believedMs: BELIEVED_MS, waitMs: COMMIT_WAIT_MS, late: () => false };
  const canCommit = askSeldom(() => tryCommit(commit), limits);
  // Answered and not thrown: thrown, it would count in the log and the metrics as a fault of the call, at every probe.
  const notReady = (requestId: string, reason: Reason): Answer => {
    const error = unavailable(NOT_READY_DETAILS[reason]);
    const problem = problemOf(error, formatId('req', requestId), docsUrl());
    const headers = { ...error.headers, 'content-type': PROBLEM_TYPE };
    return { status: problem.status, body: Buffer.from(JSON.stringify({ ...problem, reason })), headers };
  };
  return [
    publicRoute({
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process is alive',
      operation: healthOperations.alive,
      bodyUse: 'none',
      alsoWhileDraining: true,
      handle: async () => ({ status: 200, body: { status: 'alive' } }),
    }),
    publicRoute({
      method: 'GET',
      path: '/readyz',
      summary: 'Whether the process takes work',
      operation: healthOperations.ready,
      bodyUse: 'none',
      alsoWhileDraining: true,
      async handle({ requestId }) {
        if (leaving()) return notReady(requestId, 'stopping');
        if (!accepting()) return notReady(requestId, 'starting');
        if (await canCommit()) return { status: 200, body: { status: 'ready' } };
        return notReady(requestId, 'database');
      },
    }),
  ];
}

async function tryCommit(commit: Deps['commit']): Promise<boolean> {
  try {
    await commit();
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
}
