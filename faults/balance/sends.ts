import type { Books, Entry, Transmit } from './books.ts';
import { entriesOf } from './keys.ts';
import { reportedFailed } from './reported-failed.ts';

/** Compares what was transmitted with what was answered and with what is stored. */
export function balanceSends(books: Books): string[] {
  const transmits = Map.groupBy(books.transmits, ({ messageId }) => messageId);
  const reported = reportedFailed(books);
  const entries = books.sends.flatMap(({ key, answers }) =>
    answers.flatMap((answer) => entriesOf(answer).map((entry) => ({ key, entry }))),
  );
  return [
    ...[...transmits].flatMap(([id, of]) => balanceTransmits(id, of, books)),
    ...entries
      .filter(({ entry: { id, status } }) => !(status === 'failed' && reported.has(id ?? '')))
      .flatMap(({ key, entry }) => balanceEntry(key, entry, transmits)),
    ...books.messages.flatMap(({ id, status }) =>
      status === 'pending' || status === 'transmitting' ? [`${id} is left ${status}`] : [],
    ),
    ...(books.requestsRunning > 0 ? [`${books.requestsRunning} requests are left running`] : []),
    ...balanceStored(books),
  ];
}

function balanceTransmits(id: string, transmits: readonly Transmit[], { messages }: Books): string[] {
  const faults: string[] = [];
  const taken = countOf(transmits, 'yes') + countOf(transmits, 'maybe');
  if (taken > 1) faults.push(`${id} was handed over ${taken} times`);
  if (!messages.some((message) => message.id === id)) faults.push(`${id} was transmitted and is not stored`);
  return faults;
}

function balanceEntry(key: string, { id, status, error }: Entry, all: ReadonlyMap<string, Transmit[]>): string[] {
  const transmits = all.get(id ?? '') ?? [];
  const [sure, maybe] = [countOf(transmits, 'yes'), countOf(transmits, 'maybe')];
  switch (status) {
    case 'accepted':
      return sure === 1 ? [] : [`${id} of ${key} was answered accepted, and the provider took it ${sure} times`];
    case 'failed':
      if (sure + maybe === 0) return [];
      return [`${id} of ${key} was answered failed (${error?.code}), and the provider took it`];
    case 'unknown':
      return [];
  }
}

/** Every message in an answer must be stored, and every stored one must be in an answer. */
function balanceStored({ sends, messages }: Books): string[] {
  const stored = new Set(messages.filter(({ direction }) => direction === 'outbound').map(({ id }) => id));
  const told = new Set(
    sends.flatMap(({ answers }) => answers.flatMap((answer) => entriesOf(answer).flatMap(({ id }) => id ?? []))),
  );
  return [
    ...[...told.difference(stored)].map((id) => `${id} was answered and is not stored`),
    ...[...stored.difference(told)].map((id) => `${id} is stored and no answer tells of it`),
  ];
}

function countOf(transmits: readonly Transmit[], taken: Transmit['taken']): number {
  return transmits.filter((transmit) => transmit.taken === taken).length;
}
