import type { FastifyInstance } from 'fastify';
import { authorize } from './authorize.ts';
import type { Context } from './context.ts';
import { isObject, isText, parseJson } from './read-json.ts';
import { bodyText, VERSION } from './request.ts';

type ById = { Params: { id: string } };

/** The app to which every token is taken to belong. */
const APP = {
  id: '100000000000001',
  name: 'Sandbox App',
  link: 'https://www.facebook.com/games/?app_id=100000000000001',
};

/**
 * `POST|GET|DELETE /{version}/{business_account_id}/subscribed_apps`, and the app itself. After a `DELETE` nothing is notified about the
 * business account until the next `POST`, and what would have been is lost. Notifications always go to the callbacks that the sandbox knows: a
 * callback address of the business account is only kept, and every `POST` without one takes it away.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/override
 */
export function subscribedAppsRoutes(app: FastifyInstance, { subscriptions }: Context): void {
  const path = `${VERSION}/:id/subscribed_apps`;

  app.post<ById>(path, async (request) => {
    authorize(request);
    const body = parseJson(bodyText(request));
    const address = isObject(body) ? body.override_callback_uri : undefined;
    subscriptions.subscribe(request.params.id, isText(address) ? address : undefined);
    return { success: true };
  });

  app.get<ById>(path, async (request) => {
    authorize(request);
    const subscription = subscriptions.find(request.params.id);
    if (subscription === undefined) return { data: [] };
    const { address } = subscription;
    const override = address === undefined ? {} : { override_callback_uri: address };
    return { data: [{ whatsapp_business_api_data: APP, ...override }] };
  });

  app.delete<ById>(path, async (request) => {
    authorize(request);
    subscriptions.lose(request.params.id);
    return { success: true };
  });

  app.get(`${VERSION}/app`, async (request) => {
    authorize(request);
    return APP;
  });
}
