import { pino } from 'pino';
import { startPoster } from '../../src/endpoints/call/start-poster.ts';
import { createAttempts } from '../../src/endpoints/deliver/attempt.ts';
import { endpointRoutes } from '../../src/endpoints/routes.ts';
import { createRateLimits } from '../../src/http/rate-limit.ts';
import { createServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createReadsInTurn } from '../../src/kernel/reads-in-turn.ts';
import { watchAnswers } from '../support/described-answers.ts';
import { type CallOptions, callApi, type TestAnswer } from '../support/gateway.ts';
import { createMadeUpKeys, type MadeUpKeys } from '../support/made-up-keys.ts';
import type { Harness } from './harness.ts';

export interface EndpointApi {
  url: string;
  key: MadeUpKeys['make'];
  call(key: string, method: string, path: string, options?: CallOptions): Promise<TestAnswer>;
  /** Does what the process does first when it stops. */
  drain(): void;
  stop(): Promise<void>;
}

const KEEP_ALL = { messagesFromMs: 0, contentFromMs: 0, eventsFromMs: 0, appliedFromMs: 0, setAsideFromMs: 0 };

/** The endpoint routes on a server of their own, over the harness's database and deliveries. */
export async function startEndpointApi(harness: Harness, localEndpoints = true): Promise<EndpointApi> {
  const { database, sealer, deliveries } = harness;
  const clock = systemClock;
  const docsUrl = () => 'https://gateway.test/docs';
  const attempts = createAttempts({ poster: startPoster(), sealer, clock, localEndpoints });
  const keys = createMadeUpKeys();
  const closing = new AbortController();
  const server = createServer({
    routes: endpointRoutes({
      database,
      inTurn: createReadsInTurn({ atOnceMax: () => 1, waitMs: 10_000, clock }),
      sealer,
      clock,
      attempts,
      localEndpoints,
      docsUrl,
      limits: () => KEEP_ALL,
      publicUrl: () => 'https://gateway.test',
      closing: closing.signal,
      nudge: deliveries.nudge,
      changed: deliveries.changed,
    }),
    async authenticate(authorization) {
      const principal = await keys.authenticate(authorization);
      // Whoever has a key has an account.
      const account = "insert into account (id, name) values ($1, 'Test account') on conflict do nothing";
      await database.query(account, [principal.accountId]);
      return principal;
    },
    rateLimits: createRateLimits({ requests: 100_000, recipients: 100_000 }, clock),
    docsUrl,
    accepting: () => true,
    log: pino({ level: 'silent' }),
  });
  const answers = watchAnswers(server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    key: keys.make,
    call: (key, method, path, options) => callApi(url, method, path, { key, ...options }),
    drain: () => closing.abort(),
    async stop() {
      await server.close();
      await attempts.close();
      answers.assertDescribed();
    },
  };
}
