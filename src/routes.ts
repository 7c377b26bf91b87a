import { fileURLToPath } from 'node:url';
import { accountRoutes } from './accounts/routes.ts';
import { describeGateway } from './api-description.ts';
import type { Base } from './base.ts';
import { channelRoutes } from './channels/routes.ts';
import { consoleRoutes } from './console-site/routes.ts';
import { docsRoutes } from './docs-site/routes.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { healthRoutes } from './http/health.ts';
import { apiDescriptionRoutes } from './http/openapi/routes.ts';
import type { Route } from './http/route.ts';
import { messageRoutes } from './messages/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import type { Parts } from './parts.ts';
import { platformStateRoute } from './platform-state/route.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { metricsRoute } from './watch/metrics-route.ts';

/** Where the console's build leaves its files. */
const CONSOLE_DIST = fileURLToPath(new URL('../console/dist', import.meta.url));

/** All routes of the public listener. */
export function listRoutes(base: Base, parts: Parts): Route[] {
  const routes: Route[] = [
    ...sliceRoutes(base, parts),
    ...listHealthRoutes(base, parts),
    ...docsRoutes(),
    ...consoleRoutes(CONSOLE_DIST),
    ...apiDescriptionRoutes({ describe: (url) => describeGateway(routes, url), publicUrl: () => base.life.publicUrl }),
  ];
  return routes;
}

/** All routes of the internal listener. */
export function listInternalRoutes(base: Base, parts: Parts): Route[] {
  return [...listHealthRoutes(base, parts), metricsRoute(base.watch.metrics)];
}

function listHealthRoutes({ life, docsUrl }: Base, { node }: Parts): Route[] {
  return healthRoutes({
    accepting: () => life.accepting,
    leaving: () => life.leaving,
    commit: node.renewLease,
    docsUrl,
  });
}

/** The routes that accounts, the platform and the provider call. */
function sliceRoutes(base: Base, parts: Parts): Route[] {
  const { database, sealer, clock, life, docsUrl, limits } = base;
  const { localEndpoints } = base.config;
  const { verifyTokens } = base.secrets;
  const { sandbox, provider, channels, registry, checkComponents, checkAgainstTemplate } = parts;
  const { sends, findReplay, takeRecipients, tail, attempts, intake, processor, birth, markOf, authenticate } = parts;
  const { nudgeDeliveries, onEndpointChanged, readsInTurn: inTurn } = parts;
  const closing = life.closing.signal;
  const publicUrl = () => life.publicUrl;
  const onKeysChanged = authenticate.forgetKeys;
  const sending = { sends, findReplay, channels, registry, checkAgainstTemplate, checkComponents, takeRecipients };
  const ofEndpoints = { nudge: nudgeDeliveries, changed: onEndpointChanged };
  const managing = { sealer, attempts, localEndpoints, publicUrl, closing, ...ofEndpoints };
  return [
    ...messageRoutes({ database, inTurn, ...sending, docsUrl, clock, limits }),
    ...statisticsRoutes({ database, inTurn, clock }),
    ...templateRoutes({ database, channels, registry, closing }),
    ...eventRoutes({ database, inTurn, tail, docsUrl, closing, authenticate }),
    ...endpointRoutes({ database, inTurn, ...managing, clock, docsUrl, limits }),
    ...accountRoutes({ database, birth, clock, publicUrl, onKeysChanged }),
    platformStateRoute(database, limits),
    ...channelRoutes({ database, provider, sealer, channels, sandbox, publicUrl }),
    ...erasureRoutes({ database, markOf, onKeysChanged, onEndpointChanged }),
    ...notificationRoutes({ database, intake, verifyTokens, nudge: processor.nudge, limits }),
  ];
}
