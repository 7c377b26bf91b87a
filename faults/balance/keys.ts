import type { Books, Entry, SendAnswer, SendRecord } from './books.ts';
import { reportedFailed } from './reported-failed.ts';

/** Every key must replay one answer byte for byte, and a repetition must transmit nothing. */
export function balanceKeys(books: Books): string[] {
  const { before, after } = books.transmitsAtRest;
  const reported = reportedFailed(books);
  return [
    ...books.sends.flatMap((record) => balanceKey(record, reported)),
    ...(before === after ? [] : [`Repeated keys have transmitted ${after - before} times`]),
  ];
}

/** How many first answers were sent from memory before they were stored, and were settled differently by a recovery. */
export function countFromMemory({ sends }: Books): number {
  return sends.filter(({ answers }) => {
    const [first] = answers;
    return first !== undefined && !first.replayed && first.text !== answers.at(-1)?.text;
  }).length;
}

export function entriesOf({ text }: SendAnswer): Entry[] {
  const { results }: { results: Entry[] } = JSON.parse(text);
  return results;
}

function balanceKey({ key, answers }: SendRecord, reported: ReadonlySet<string>): string[] {
  const last = answers.at(-1);
  if (last === undefined) return [`${key} was never answered`];
  const faults: string[] = [];
  if (!last.replayed) faults.push(`${key} is not replayed`);
  if (answers.some(({ replayed, text }) => replayed && text !== last.text)) faults.push(`${key} has two replays`);
  const firsthand = answers.filter(({ replayed }) => !replayed);
  if (firsthand.length > 1) faults.push(`${key} was carried out ${firsthand.length} times`);
  return [...faults, ...firsthand.flatMap((answer) => balanceFirst(key, answer, last, reported))];
}

/**
 * The first answer must be the stored one. There is one exception: while the store is in trouble, an answer is sent from memory, and if its
 * node then dies too, a recovery settles the send. In such a case an entry may differ by saying `unknown`, which claims nothing, but it
 * must never say the opposite.
 */
function balanceFirst(key: string, first: SendAnswer, stored: SendAnswer, reported: ReadonlySet<string>): string[] {
  if (first.text === stored.text) return [];
  const [told, kept] = [entriesOf(first), entriesOf(stored)];
  if (told.length !== kept.length) return [`${key} has another number of entries when it is replayed`];
  return told.flatMap((entry, place) => {
    const other = kept[place];
    const same = entry.id === other?.id && entry.to === other?.to;
    if (same && (agree(entry, other) || reported.has(entry.id ?? ''))) return [];
    return [`${key}: ${entry.to} was told ${entry.status} and is replayed as ${other?.status}`];
  });
}

/** An entry that was `unknown` may be settled since, and one that was known may have become `unknown`. */
function agree(told: Entry, kept: Entry | undefined): boolean {
  return told.status === 'unknown' || kept?.status === 'unknown' || told.status === kept?.status;
}
