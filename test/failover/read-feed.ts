import { setTimeout as wait } from 'node:timers/promises';

interface FeedEvent {
  id: string;
  sequence: number;
}

/** Reads the feed as a customer does: one page after another, and again after any failure. */
export function readFeed(url: string, apiKey: string): { events: FeedEvent[]; stop(): Promise<void> } {
  const events: FeedEvent[] = [];
  let stopped = false;
  const read = async () => {
    while (!stopped) {
      const after = events.at(-1)?.sequence ?? 0;
      const page = await fetchPage(`${url}/api/v1/events?limit=100&wait=1&after=${after}`, apiKey);
      if (page === undefined) await wait(200);
      else events.push(...page);
    }
  };
  const running = read();
  return {
    events,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

async function fetchPage(url: string, apiKey: string): Promise<FeedEvent[] | undefined> {
  try {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
    const { data }: { data: FeedEvent[] } = JSON.parse(await answer.text());
    return answer.status === 200 ? data : undefined;
  } catch {
    return undefined; // The reader asks again, as a customer's does.
  }
}
