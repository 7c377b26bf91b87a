import { eventPage, type Message, type WaypostEvent } from '../api/message.ts';
import { type Attempt, attempt, endpoint, pageOf } from '../api/resources.ts';
import { api } from '../state/session.svelte.ts';
import { findEvents } from './find-events.ts';

export interface EventHistory {
  event: WaypostEvent;
  attempts: { url: string; endpointId: string; attempt: Attempt }[];
}

/** The clocks of two nodes may differ by a little, and an event is recorded after what it tells of. */
const SLACK_MS = 5_000;
const ENDPOINTS_MAX = 20;

/** The events of a message, each with the attempts at the account's endpoints. undefined: they cannot be read. */
export async function readHistory(
  message: Message,
): Promise<{ events: EventHistory[]; complete: boolean } | undefined> {
  const found = await findEvents(
    async (after, limit) => {
      const answer = await api({ path: '/api/v1/events', query: { after, limit } }, eventPage);
      return answer.ok ? answer.value : undefined;
    },
    {
      id: message.id,
      fromMs: Date.parse(message.created_at) - SLACK_MS,
      toMs: Date.parse(message.updated_at) + SLACK_MS,
    },
  );
  if (found === undefined) return undefined;
  const listed = await api({ path: '/api/v1/endpoints', query: { limit: ENDPOINTS_MAX } }, pageOf(endpoint));
  const endpoints = listed.ok ? listed.value.data : [];
  const events = await Promise.all(
    found.events.map(async (event) => {
      const attempts = await Promise.all(endpoints.map(({ id, url }) => attemptsAt(id, url, event.id)));
      return { event, attempts: attempts.flat() };
    }),
  );
  return { events, complete: found.complete };
}

async function attemptsAt(endpointId: string, url: string, eventId: string) {
  const path = `/api/v1/endpoints/${endpointId}/attempts`;
  const answer = await api({ path, query: { event_id: eventId } }, pageOf(attempt));
  return answer.ok ? answer.value.data.map((one) => ({ url, endpointId, attempt: one })) : [];
}
