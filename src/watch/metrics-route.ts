import { publicRoute, type Route } from '../http/route.ts';
import type { Metrics } from '../observe/metrics.ts';

/** What Prometheus scrapes; for the internal listener only. */
export function metricsRoute(metrics: Metrics): Route {
  return publicRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'The metrics of this node',
    operation: 'page',
    bodyUse: 'none',
    alsoWhileDraining: true,
    async handle() {
      const { contentType, text } = await metrics.render();
      return { status: 200, body: text, headers: { 'content-type': contentType } };
    },
  });
}
