import type { Books, Entry, SendAnswer, SendRecord } from './books.ts';
import { reportedFailed } from './reported-failed.ts';

/** Every key replays one answer byte for byte, and a repetition transmits nothing. */
export function balanceKeys(books: Books): string[] {
  const { before, after } = books.transmitsAtRest;
  const reported = reportedFailed(books);
  return [
    ...books.sends.flatMap((record) => balanceKey(record, reported)),
    ...(before === after ? [] : [`Repeated keys have transmitted ${after - before} times`]),
  ];
}

/** How many first answers went out from memory, and were settled otherwise by recovery. */
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
 * A first answer is the stored one. One that went out from memory, because the store was in trouble, may be settled by
 * recovery if its node dies too: then an entry may say `unknown`, which claims nothing, but never the opposite.
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

/** What was `unknown` may be settled meanwhile, and what was known may be so no more. */
function agree(told: Entry, kept: Entry | undefined): boolean {
  return told.status === 'unknown' || kept?.status === 'unknown' || told.status === kept?.status;
}
