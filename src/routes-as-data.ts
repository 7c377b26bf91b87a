import type { Route } from './http/route.ts';
import { listRoutes } from './routes.ts';

/** The routes as the API description reads them. Nothing stands behind them: none may be called. */
export function routesAsData(): Route[] {
  // A value of any type, because whatever is asked of it, it gives itself; making the list needs no more.
  const nothing = createNothing() as never;
  return listRoutes(nothing, nothing);
}

function createNothing(): unknown {
  const nothing: unknown = new Proxy(() => undefined, { get: () => nothing, apply: () => nothing });
  return nothing;
}
