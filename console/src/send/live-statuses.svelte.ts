import { message, type WaypostEvent } from '../api/message.ts';
import { pageOf } from '../api/resources.ts';
import { isUnderWay } from '../messages/is-under-way.ts';
import { messageOf } from '../messages/message-of.ts';
import { live } from '../state/live.svelte.ts';
import { api } from '../state/session.svelte.ts';

/** The present statuses of a request's messages, by their ids. They are read, and then kept up to date by the events. */
export function createLiveStatuses(requestId: string) {
  let statuses = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** What events have told since the newest question was asked. Its answer may be older. */
  let heard: (readonly [string, string])[] = [];

  function hear(events: WaypostEvent[]): void {
    const told = events.flatMap((event) => messageOf(event) ?? []).filter((one) => one.request_id === requestId);
    if (told.length === 0) return;
    heard = [...heard, ...told.map(({ id, status }) => [id, status] as const)];
    statuses = new Map([...statuses, ...heard]);
  }

  async function read(): Promise<void> {
    heard = [];
    const query = { request_id: requestId, limit: 100 };
    const answer = await api({ path: '/api/v1/messages', query }, pageOf(message));
    // If they cannot be read, those of the send's answer are shown, and events still change them.
    if (!answer.ok) return;
    // The end of a send raises no event, so one that is under way now is told by the request, which is read again.
    const settled = answer.value.data.filter((one) => !isUnderWay(one));
    statuses = new Map([...statuses, ...settled.map(({ id, status }) => [id, status] as const), ...heard]);
  }

  return {
    get statuses() {
      return statuses;
    },
    /** Returns a function that stops listening. */
    follow(): () => void {
      const end = live.listen(hear, read);
      void read();
      return end;
    },
  };
}
