import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { meetLock } from '../../test/support/meet-lock.ts';
import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { keepParents } from './parent-store.ts';
import { keepPreferences } from './preference-store.ts';
import { extendWindows } from './window-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const PEOPLE = ['+447700900101', '+447700900102'] as const;
const accountId = newId();
const channelId = newId();
const at = new Date();

/** Writes of these people, whatever their order. */
type Write = (store: Queryable, ...people: string[]) => Promise<void>;
const writes: Record<string, Write> = {
  windows: (store, ...people) =>
    extendWindows(
      store,
      people.map((person) => ({ accountId, channelId, person, at })),
    ),
  preferences: (store, ...people) =>
    keepPreferences(
      store,
      people.map((person) => ({
        ...{ accountId, mode: 'test', businessAccountId: '1', person, other: null, stopped: true, at, timed: true },
      })),
    ),
  'parent user ids': (store, ...people) =>
    keepParents(
      store,
      people.map((person) => ({
        accountId,
        mode: 'test',
        parentUserId: 'GB.ENT.1',
        userId: `GB.${person.slice(1)}`,
        at,
      })),
    ),
};

describe('two that write of the same people do not wait for each other in turn', () => {
  for (const [what, write] of Object.entries(writes))
    it(`about their ${what}`, async () => {
      const [first, second] = PEOPLE;
      await meetLock(database, {
        hold: (tx) => write(tx, first),
        work: () => write(database, second, first),
        meanwhile: (tx) => write(tx, second),
      });
    });
});
