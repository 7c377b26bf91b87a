import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { errorCodeOf } from './kernel/error-code.ts';
import type { RunStep } from './kernel/run-step.ts';
import { StoreUnavailable } from './kernel/store-unavailable.ts';
import { isPassingFailure } from './store/passing-failure.ts';

/** The database itself is asked less often than this where it cannot be connected to: the pool sees to that. */
const PAUSE_MS = 250;
/** Who connects may not, or there is no such database. */
const REFUSED = /^(28|3D|42)/;
/** What the network says, such as ECONNREFUSED, and not TLS, such as ERR_TLS_CERT_ALTNAME_INVALID or CERT_HAS_EXPIRED. */
const OF_NETWORK = /^E(?!RR_)/;
/** What the driver says, without a code, of a password that is not given and of TLS that the server does not have. */
const NOT_GIVEN = /^SASL|not support SSL/;

interface Deps {
  log: Logger;
  /** Prints a sentence for the person at the terminal, where there is one. */
  print?: ((sentence: string) => void) | undefined;
  limitMs: number;
  stopping: AbortSignal;
}

/**
 * What it returns runs the steps of a start, each again while the database is away: it may be in a fail-over, or start beside us. After
 * `limitMs` a step throws what it threw last. What waiting does not mend, such as a wrong password, is thrown at once. So is the
 * reason of `stopping` as soon as that is aborted; a step that is under way then is left as it is.
 */
export function waitAtStart({ log, print, limitMs, stopping }: Deps): RunStep {
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined); // Nobody waits for it between two steps.
  stopping.addEventListener('abort', () => stopped.reject(stopping.reason));
  return async (step) => {
    let sinceMs: number | undefined;
    for (;;) {
      stopping.throwIfAborted();
      try {
        return await Promise.race([step(), stopped.promise]);
      } catch (error) {
        const failedMs = performance.now();
        if (!mayPass(error) || failedMs - (sinceMs ?? failedMs) >= limitMs) throw error;
        if (sinceMs === undefined) {
          log.warn({ err: error, at_most_ms: limitMs }, 'start.waits_for_database');
          print?.(`Waiting for the database, for ${limitMs / 1_000} s at most.`);
        }
        sinceMs ??= failedMs;
      }
      await Promise.race([wait(PAUSE_MS), stopped.promise]);
    }
  };
}

function mayPass(error: unknown): boolean {
  if (!isPassingFailure(error)) return false;
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  const code = errorCodeOf(cause);
  if (cause instanceof DatabaseError) return !REFUSED.test(code ?? '');
  if (code !== undefined) return OF_NETWORK.test(code) && !isOfFile(cause);
  return !(cause instanceof Error && NOT_GIVEN.test(cause.message));
}

/** A file that DATABASE_URL names, such as the certificate in `sslrootcert`, cannot be read. A socket that is not there is connected to. */
function isOfFile(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'open';
}
