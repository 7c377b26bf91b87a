import type { RefusedEntry } from '../messages/message.ts';
import type { Queryable } from '../store/database.ts';
import { type NamesPerson, namesOneOf } from './names-one-of.ts';
import { findRefused, type Left, type Refused, replaceRefused } from './refused-store.ts';
import type { Reached, Stretch } from './stretch.ts';

/** Empties the entries that never became a message and name the person, be it by a number in another form. */
export async function emptyRefused(tx: Queryable, stretch: Stretch): Promise<Reached> {
  const namesPerson = namesOneOf(stretch.persons);
  const { reached, found } = await findRefused(tx, stretch);
  for (const request of found.flatMap((one) => withoutPerson(one, namesPerson)))
    await replaceRefused(tx, stretch, request);
  return reached;
}

/** None if the request does not name the person. */
function withoutPerson({ id, entries }: Refused, namesPerson: NamesPerson): Left[] {
  const left = entries.map((entry) => (namesPerson(entry.to) ? emptied(entry) : entry));
  const isChanged = left.some((entry, at) => entry !== entries[at]);
  return isChanged ? [{ id, entries: left, namesOthers: left.some(({ to }) => to !== '') }] : [];
}

function emptied({ user_id: _userId, client_reference: _reference, ...entry }: RefusedEntry): RefusedEntry {
  return { ...entry, to: '' };
}
