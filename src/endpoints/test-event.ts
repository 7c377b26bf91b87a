import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { createRoom } from '../kernel/room.ts';
import type { Attempts } from './deliver/attempt.ts';
import type { AttemptRow } from './deliver/attempt-store.ts';
import { presentEndpoint } from './present.ts';
import type { EndpointRow } from './store.ts';

/** Each of them holds a caller's connection for up to the time-out. */
const TESTS_PER_ACCOUNT_MAX = 5;
const TEST_TYPE = 'endpoint.test';

export interface Tests {
  /** Sends a test event, whether the endpoint is enabled or not. Throws `rate_limited` if too many are under way. */
  send(endpoint: EndpointRow): Promise<AttemptRow>;
}

/**
 * Test events: tried once, kept nowhere, without a sequence. Each has an id of its own, as a real event has, so that a
 * receiver that drops what it knows already takes every one. They change nothing about the endpoint.
 */
export function createTests({ attempts, clock }: { attempts: Attempts; clock: Clock }): Tests {
  const room = createRoom({ placesMax: Number.POSITIVE_INFINITY, ofAccountMax: TESTS_PER_ACCOUNT_MAX });
  return {
    async send(endpoint) {
      const { account_id: accountId } = endpoint;
      if (room.enter(accountId) !== 'entered')
        throw new ApiError('rate_limited', `At most ${TESTS_PER_ACCOUNT_MAX} tests run at once.`, {
          headers: { 'retry-after': '1' },
        });
      try {
        return await sendOne(attempts, endpoint, new Date(clock.nowMs()));
      } finally {
        room.leave(accountId);
      }
    },
  };
}

async function sendOne(attempts: Attempts, endpoint: EndpointRow, at: Date): Promise<AttemptRow> {
  const eventUuid = newId();
  const eventId = formatId('evt', eventUuid);
  const body = JSON.stringify({
    id: eventId,
    type: TEST_TYPE,
    timestamp: at.toISOString(),
    account_id: endpoint.account_id,
    data: { endpoint: presentEndpoint(endpoint) },
  });
  const { retryAfter: _, ...outcome } = await attempts.attempt(
    {
      accountId: endpoint.account_id,
      endpointId: endpoint.id,
      mode: endpoint.mode,
      url: endpoint.url,
      secretSealed: endpoint.secret_sealed,
      previousSecretSealed: previousOf(endpoint, at),
    },
    { eventId, body, traceparent: null },
  );
  return { ...outcome, event_id: eventUuid, type: TEST_TYPE, number: 1, next_at: null };
}

function previousOf({ previous_secret_sealed, previous_expires_at }: EndpointRow, at: Date): Buffer | null {
  return previous_expires_at !== null && previous_expires_at > at ? previous_secret_sealed : null;
}
