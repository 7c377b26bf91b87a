import type { Logger } from 'pino';
import type { AnsweredRequest } from '../http/answered.ts';
import { formatId } from '../kernel/ids.ts';
import type { HttpMetrics } from '../observe/http-metrics.ts';
import type { SendCounts } from './running-sends.ts';

/** Asked by machines every second or so, or as often as the provider likes: their good answers are no news. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics', '/api/messaging/webhook']);

/** Counts every HTTP call, and tells it to the log in one line; never its query, its body or its key. */
export function watchCalls(
  metrics: HttpMetrics,
  log: Logger,
  takeCounts: (requestId: string) => SendCounts | undefined,
): (answered: AnsweredRequest) => void {
  return ({ requestId, shownRequestId, route = 'none', method, status, code, hungUp, principal, durationMs }) => {
    const word = hungUp ? 'hung_up' : (code ?? 'ok');
    metrics.answered({ route, method, status, code: word, seconds: durationMs / 1_000 });
    const isQuietRoute = QUIET.has(route);
    // None of them sends, and a look costs what the hash of a new id does.
    const counts = isQuietRoute ? undefined : takeCounts(requestId);
    const quiet = isQuietRoute && status < 400;
    if (!log.isLevelEnabled(quiet ? 'debug' : 'info')) return;
    const account =
      principal?.kind === 'account'
        ? { account_id: principal.accountId, key_id: formatId('key', principal.keyId) }
        : principal && { by: principal.kind };
    const line = {
      request_id: shownRequestId,
      ...{ method, route, status, code: word },
      ...account,
      duration_ms: Math.round(durationMs * 10) / 10,
      ...counts,
    };
    if (quiet) log.debug(line, 'http.call');
    else log.info(line, 'http.call');
  };
}
