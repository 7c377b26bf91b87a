import { accountSchemas } from './accounts/schemas.ts';
import { channelSchemas } from './channels/schemas.ts';
import { endpointSchemas } from './endpoints/schemas.ts';
import { erasureSchemas } from './erasure/schemas.ts';
import { eventSchemas } from './events/schemas.ts';
import { describeWebhooks } from './events/webhooks.ts';
import { describeApi } from './http/openapi/openapi.ts';
import type { JsonObject } from './http/openapi/schemas.ts';
import type { Route } from './http/route.ts';
import { httpSchemas } from './http/schemas.ts';
import { answerSchemas } from './messages/answer-schemas.ts';
import { contentSchemas } from './messages/content-schemas.ts';
import { sendSchemas } from './messages/parse/send-schema.ts';
import { messageSchemas } from './messages/schemas.ts';
import { notificationSchemas } from './notifications/schemas.ts';
import { platformStateSchemas } from './platform-state/schemas.ts';
import { statisticsSchemas } from './statistics/schemas.ts';
import { templateSchemas } from './templates/schemas.ts';

/** The description of the whole API; `serverUrl` is where it is served, without a final slash. */
export function describeGateway(routes: readonly Route[], serverUrl: string): JsonObject {
  const schemas = {
    ...httpSchemas,
    ...accountSchemas,
    ...channelSchemas,
    ...endpointSchemas,
    ...erasureSchemas,
    ...eventSchemas,
    ...messageSchemas,
    ...sendSchemas,
    ...contentSchemas,
    ...answerSchemas,
    ...notificationSchemas,
    ...platformStateSchemas,
    ...statisticsSchemas,
    ...templateSchemas,
  };
  return describeApi({ routes, schemas, webhooks: describeWebhooks, serverUrl });
}
