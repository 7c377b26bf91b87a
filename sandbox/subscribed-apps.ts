import type { FastifyInstance } from 'fastify';
import { authorize } from './authorize.ts';
import { VERSION } from './request.ts';

type ById = { Params: { id: string } };

/** The app to which every token is taken to belong. */
const APP = {
  whatsapp_business_api_data: {
    id: '100000000000001',
    name: 'Sandbox App',
    link: 'https://www.facebook.com/games/?app_id=100000000000001',
  },
};
/** Keeps the memory bounded: beyond this all subscriptions are forgotten. Only a test that lists them could notice. */
const SUBSCRIBED_MAX = 100_000;

/** `POST|GET|DELETE /{version}/{business_account_id}/subscribed_apps`. The sandbox notifies whether subscribed or not. */
export function subscribedAppsRoutes(app: FastifyInstance): void {
  const subscribed = new Set<string>();
  const path = `${VERSION}/:id/subscribed_apps`;

  app.post<ById>(path, async (request) => {
    authorize(request);
    if (subscribed.size >= SUBSCRIBED_MAX) subscribed.clear();
    subscribed.add(request.params.id);
    return { success: true };
  });

  app.get<ById>(path, async (request) => {
    authorize(request);
    return { data: subscribed.has(request.params.id) ? [APP] : [] };
  });

  app.delete<ById>(path, async (request) => {
    authorize(request);
    subscribed.delete(request.params.id);
    return { success: true };
  });
}
