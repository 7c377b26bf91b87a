import type { Books, StoredMessage } from './books.ts';
import { lateAnswers } from './late-answer.ts';

/** The state of every message must follow, by rank, from its outcome and from the statuses that were posted. */
export function balanceStates(books: Books): string[] {
  const { messages, statuses } = books;
  const late = lateAnswers(books);
  const posted = Map.groupBy(
    statuses.filter(({ acknowledged }) => acknowledged > 0),
    ({ messageId }) => messageId,
  );
  return messages.flatMap((message) => {
    const told = new Set(posted.get(message.id)?.map(({ status }) => status));
    const expected = expectedOf(message, told, late.get(message.id)?.status);
    return message.status === expected ? [] : [`${message.id} is ${message.status} and should be ${expected}`];
  });
}

/** A message that was delivered cannot fail, and one that failed may still be delivered. A failure comes after `sent`. */
const RANKED = ['read', 'delivered', 'failed', 'sent'];

function expectedOf(
  { direction, outcome }: StoredMessage,
  told: ReadonlySet<string>,
  lateAnswer: string | undefined,
): string {
  if (direction === 'inbound') return 'received';
  return RANKED.find((status) => told.has(status)) ?? lateAnswer ?? outcome ?? 'settled';
}
