import type { Message } from '../api/message.ts';

export interface RecentRequest {
  id: string;
  createdAt: string;
  type: string;
  reference: string | null;
  /** How many of its messages are listed, by their status. */
  counts: [string, number][];
}

/** The requests of the listed messages, newest first. */
export function groupByRequest(messages: readonly Message[]): RecentRequest[] {
  const byRequest = Map.groupBy(
    messages.filter(({ request_id: id }) => id !== null),
    ({ request_id: id }) => id ?? '',
  );
  return [...byRequest].map(([id, of]) => ({
    id,
    createdAt: of.at(-1)?.created_at ?? '',
    type: of[0]?.type ?? '',
    reference: of[0]?.client_reference ?? null,
    counts: [...Map.groupBy(of, ({ status }) => status)].map(([status, some]) => [status, some.length]),
  }));
}
