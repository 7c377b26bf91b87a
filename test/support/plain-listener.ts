import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createRateLimits } from '../../src/http/rate-limit.ts';
import { createServer, type ServerDeps } from '../../src/http/server.ts';
import { systemClock } from '../../src/kernel/clock.ts';

/** A listener of ours with these routes and without a gateway: every key is the platform's, and nothing is logged unless it is given. */
export function createPlainListener(given: Partial<ServerDeps> & Pick<ServerDeps, 'routes'>): FastifyInstance {
  return createServer({
    authenticate: async () => ({ kind: 'platform' }),
    rateLimits: createRateLimits({ requests: 1, recipients: 1 }, systemClock),
    docsUrl: () => 'http://localhost/docs/errors',
    accepting: () => true,
    log: pino({ level: 'silent' }),
    ...given,
  });
}
