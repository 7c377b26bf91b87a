import type { Answer, Call } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import { eventPage, type Message, type WaypostEvent } from '../api/message.ts';
import { type Attempt, attempt, endpoint, pageOf } from '../api/resources.ts';
import { api } from '../state/session.svelte.ts';
import { findEvents } from './find-events.ts';

export interface EventHistory {
  event: WaypostEvent;
  attempts: EndpointAttempt[];
}

interface EndpointAttempt {
  url: string;
  endpointId: string;
  attempt: Attempt;
}

/**
 * `deliveries`: why the attempts could not be read, or not all of them. `unasked`: there are more endpoints than were asked. In both cases
 * a missing entry in `attempts` proves nothing. `oldestKept`: where the log begins, if events of the message may have been before that.
 */
export type History =
  | {
      kind: 'read';
      events: EventHistory[];
      complete: boolean;
      oldestKept: number | undefined;
      deliveries: Failure | undefined;
      unasked: boolean;
    }
  | { kind: 'failed'; failure: Failure };

/** The clocks of two nodes may differ a little, and an event is recorded after the change that it reports. */
const SLACK_MS = 5_000;
/** Each endpoint takes a call for each event, and a key may make only so many calls in a second. */
export const ENDPOINTS_ASKED_MAX = 20;

/** The events of a message, each with the attempts at the account's endpoints. */
export async function readHistory(message: Message): Promise<History> {
  const failures: Failure[] = [];
  const noted = <Value>(answer: Answer<Value>): Value | undefined => {
    if (answer.ok) return answer.value;
    failures.push(answer.failure);
    return undefined;
  };
  const found = await findEvents(
    async (after, limit) => noted(await api({ path: '/api/v1/events', query: { after, limit } }, eventPage)),
    {
      id: message.id,
      fromMs: Date.parse(message.created_at) - SLACK_MS,
      toMs: Date.parse(message.updated_at) + SLACK_MS,
    },
  );
  const [failure] = failures;
  if (failure !== undefined) return { kind: 'failed', failure };
  const events: EventHistory[] = [];
  const endpoints = noted(
    await api({ path: '/api/v1/endpoints', query: { limit: ENDPOINTS_ASKED_MAX } }, pageOf(endpoint)),
  );
  for (const event of found?.events ?? []) {
    const asked = (endpoints?.data ?? []).map(async ({ id, url }): Promise<EndpointAttempt[]> => {
      const attempts = noted(await api(attemptsCall(id, event.id), pageOf(attempt)));
      return (attempts?.data ?? []).map((one) => ({ url, endpointId: id, attempt: one }));
    });
    events.push({ event, attempts: (await Promise.all(asked)).flat() });
  }
  const unasked = (endpoints?.next_cursor ?? null) !== null;
  const { complete = false, oldestKept } = found ?? {};
  return { kind: 'read', events, complete, oldestKept, deliveries: failures[0], unasked };
}

function attemptsCall(endpointId: string, eventId: string): Call {
  return { path: `/api/v1/endpoints/${endpointId}/attempts`, query: { event_id: eventId } };
}
