import type { FastifyInstance } from 'fastify';
import { authorize } from './authorize.ts';
import { isObject, isText, parseJson } from './read-json.ts';
import { bodyText, VERSION } from './request.ts';

type ById = { Params: { id: string } };

/** The app to which every token is taken to belong. */
const APP = {
  id: '100000000000001',
  name: 'Sandbox App',
  link: 'https://www.facebook.com/games/?app_id=100000000000001',
};
/** Keeps the memory bounded: beyond this all subscriptions are forgotten. Only a test that lists them could notice. */
const SUBSCRIBED_MAX = 100_000;

/**
 * `POST|GET|DELETE /{version}/{business_account_id}/subscribed_apps`, and the app itself. The sandbox notifies whether subscribed or not, and
 * always at the callbacks that it knows. A callback address of the business account is only kept, and every `POST` without one takes it away.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/override
 */
export function subscribedAppsRoutes(app: FastifyInstance): void {
  /** The callback address of each business account that is subscribed; undefined: it has none of its own. */
  const subscribed = new Map<string, string | undefined>();
  const path = `${VERSION}/:id/subscribed_apps`;

  app.post<ById>(path, async (request) => {
    authorize(request);
    if (subscribed.size >= SUBSCRIBED_MAX) subscribed.clear();
    const body = parseJson(bodyText(request));
    const address = isObject(body) ? body.override_callback_uri : undefined;
    subscribed.set(request.params.id, isText(address) ? address : undefined);
    return { success: true };
  });

  app.get<ById>(path, async (request) => {
    authorize(request);
    const { id } = request.params;
    const address = subscribed.get(id);
    const one = {
      whatsapp_business_api_data: APP,
      ...(address === undefined ? {} : { override_callback_uri: address }),
    };
    return { data: subscribed.has(id) ? [one] : [] };
  });

  app.delete<ById>(path, async (request) => {
    authorize(request);
    subscribed.delete(request.params.id);
    return { success: true };
  });

  app.get(`${VERSION}/app`, async (request) => {
    authorize(request);
    return APP;
  });
}
