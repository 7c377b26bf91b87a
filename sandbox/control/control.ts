import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { onlyLoopback } from '../loopback.ts';
import { Schedule } from '../schedule.ts';
import { controlCallbackRoute } from './callback.ts';
import { ControlError } from './error.ts';
import { controlMessagesRoutes } from './messages.ts';
import { controlNotificationsRoutes } from './notifications.ts';

/** The calls under `/_sandbox`, by which tests and gateways steer the sandbox. The provider has nothing like them. */
export async function controlRoutes(
  app: FastifyInstance,
  { context, timeScale }: { context: Context; timeScale: number },
): Promise<void> {
  app.addHook('onRequest', onlyLoopback);
  app.setErrorHandler(async (error, _request, reply) => {
    if (!(error instanceof ControlError)) throw error;
    return reply.code(error.status).send({ error: error.message });
  });

  app.get('/_sandbox/health', async () => ({
    service: 'waypost-sandbox',
    alone: context.isAlone,
    notifications: context.notifier.counts,
  }));

  app.post('/_sandbox/reset', async () => {
    context.course.clear();
    context.course = new Schedule(timeScale);
    context.notifier.clear();
    context.transmits.clear();
    context.refusals.clear();
    return { success: true };
  });

  controlMessagesRoutes(app, context);
  controlCallbackRoute(app, context);
  controlNotificationsRoutes(app, context);
}
