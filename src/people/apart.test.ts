import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Mode } from '../kernel/principal.ts';
import { findKnownNames, forgetParents, keepParents } from './parent-store.ts';
import { findStopped, keepPreferences, type Preference, type PreferenceOwner } from './preference-store.ts';
import { extendWindows, findWindows } from './window-store.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const ADA = '+447700900731';
const ADAS_ID = 'GB.ADA1815';
const PARENT = 'GB.ENT.ADA1815';
const WEEK_SECONDS = 7 * 86_400;
const NOON_MS = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number) => new Date(NOON_MS + seconds * 1_000);

let accountId: string;
let otherId: string;
beforeEach(async () => {
  [accountId, otherId] = [newId(), newId()];
  await database.query("insert into account (id, name) select id, 'Test' from unnest($1::uuid[]) as id", [
    [accountId, otherId],
  ]);
});

describe('the window of a person', () => {
  it('is that of the number, also of the channel that had it before, and of no other account, mode or number', async () => {
    const number = newId();
    const former = await addChannel(accountId, 'live', number, 'removed');
    const foreign = [
      [accountId, await addChannel(accountId, 'test', number, 'removed')],
      [accountId, await addChannel(accountId, 'live', newId(), 'removed')],
      [accountId, await addChannel(accountId, 'live', newId())],
      [otherId, await addChannel(otherId, 'live', number, 'removed')],
    ] as const;
    const channelId = await addChannel(accountId, 'live', number);
    const open = (owner: string, channel: string, seconds: number) =>
      extendWindows(database, [{ accountId: owner, channelId: channel, person: ADA, at: at(seconds) }]);
    const owner = { accountId, mode: 'live' as const, channelId };
    const opened = async () => (await findWindows(database, owner, [ADA])).get(ADA);
    for (const [owner, channel] of [...foreign, [otherId, channelId], [otherId, former]] as const)
      await open(owner, channel, 30);
    assert.equal(await opened(), undefined);
    await open(accountId, channelId, 10);
    assert.deepEqual(await opened(), at(10));
    await open(accountId, former, 20);
    assert.deepEqual(await opened(), at(20));
    await open(accountId, former, 5);
    assert.deepEqual(await opened(), at(20), 'the later one counts');
    assert.equal((await findWindows(database, { ...owner, accountId: otherId }, [ADA])).size, 0);
  });

  it('is the latest of all those that a parent user id stands for', async () => {
    const channelId = await addChannel(accountId, 'live', newId());
    const owner = { accountId, mode: 'live' as const, channelId };
    for (const [userId, seconds] of [
      ['GB.1', 10],
      ['GB.2', 30],
      ['GB.3', 20],
    ] as const) {
      await keepParents(database, [{ accountId, mode: 'live', parentUserId: PARENT, userId, at: at(0) }]);
      await extendWindows(database, [{ accountId, channelId, person: userId, at: at(seconds) }]);
    }
    assert.deepEqual((await findWindows(database, owner, [PARENT])).get(PARENT), at(30));
  });
});

describe('what a parent user id stands for', () => {
  const pair = (more: object = {}) => ({
    ...{ accountId, mode: 'live' as const, parentUserId: PARENT, userId: ADAS_ID, at: at(0) },
    ...more,
  });
  const names = async (of: string, mode: Mode, parent = PARENT) =>
    (await findKnownNames(database, { accountId: of, mode }, [parent])).get(parent)?.toSorted();

  it('is known to its account in its mode, whatever others know, also of a user id that stood under another one', async () => {
    await keepParents(database, [pair({ parentUserId: 'GB.ENT.FORMER' })]);
    assert.deepEqual(await names(accountId, 'live'), [PARENT]);
    await keepParents(database, [pair()]);
    assert.deepEqual(await names(accountId, 'live'), [ADAS_ID, PARENT]);
    assert.deepEqual(await names(accountId, 'test'), [PARENT]);
    assert.deepEqual(await names(otherId, 'live'), [PARENT]);
    await keepParents(database, [pair({ accountId: otherId }), pair({ mode: 'test' }), pair({ userId: 'GB.2' })]);
    assert.deepEqual(await names(accountId, 'test'), [ADAS_ID, PARENT]);
    assert.deepEqual(await names(otherId, 'live'), [ADAS_ID, PARENT]);
    assert.deepEqual(await names(accountId, 'live'), ['GB.2', ADAS_ID, PARENT]);
  });

  it('is forgotten in its account alone, and of this person alone, and told of by either name', async () => {
    const somebody = { parentUserId: 'GB.ENT.SOMEBODY', userId: 'GB.SOMEBODY' };
    await keepParents(database, [pair(), pair({ accountId: otherId }), pair(somebody)]);
    for (const person of [ADAS_ID, PARENT]) {
      await keepParents(database, [pair()]);
      await forgetParents(database, { accountId, askedAt: at(10) }, [person]);
      assert.deepEqual(await names(accountId, 'live'), [PARENT]);
    }
    assert.deepEqual(await names(otherId, 'live'), [ADAS_ID, PARENT]);
    assert.deepEqual(await forgetParents(database, { accountId, askedAt: at(10) }, [PARENT, ADAS_ID]), []);
    assert.deepEqual(await names(accountId, 'live', somebody.parentUserId), [somebody.parentUserId, somebody.userId]);
  });

  it('stays where it was told since, also if it was told before in the same moment', async () => {
    await keepParents(database, [pair({ at: at(0) }), pair({ at: at(20) })]);
    for (const person of [ADAS_ID, PARENT])
      assert.deepEqual(
        new Set(await forgetParents(database, { accountId, askedAt: at(10) }, [person])),
        new Set([PARENT, ADAS_ID]),
      );
    assert.deepEqual(await names(accountId, 'live'), [ADAS_ID, PARENT]);
  });
});

describe('a word on marketing messages', () => {
  let own: PreferenceOwner;
  let others: PreferenceOwner[];
  beforeEach(() => {
    own = { accountId, mode: 'live', businessAccountId: '2' };
    others = [
      { ...own, accountId: otherId },
      { ...own, mode: 'test' },
      { ...own, businessAccountId: '3' },
    ];
  });
  const word = (owner: PreferenceOwner, more: Partial<Preference> = {}): Preference => ({
    ...{ ...owner, person: ADA, other: null, stopped: true, at: at(0), timed: true },
    ...more,
  });
  const stopped = async (owner: PreferenceOwner) => (await findStopped(database, owner, [ADA])).has(ADA);

  it('counts for its account, mode and business account alone, also among words of the same moment', async () => {
    const words = [word(own), ...others.map((owner) => word(owner, { stopped: false, at: at(1) }))];
    await keepPreferences(database, words);
    assert.deepEqual(await Promise.all([own, ...others].map(stopped)), [true, false, false, false]);
    await keepPreferences(database, [
      word(own, { stopped: false, at: at(2) }),
      ...others.map((owner) => word(owner, { at: at(2) })),
    ]);
    assert.deepEqual(await Promise.all([own, ...others].map(stopped)), [false, true, true, true]);
  });

  it('that is repeated does not count again where it only tells the other identity', async () => {
    for (const isStop of [true, false]) await keepPreferences(database, [word(own, { stopped: isStop, at: at(10) })]);
    await keepPreferences(database, [word(own, { at: at(10), other: ADAS_ID })]);
    assert.equal(await stopped(own), false);
    const elsewhere = { ...own, businessAccountId: 'elsewhere' };
    await keepPreferences(database, [word(elsewhere, { at: at(30) })]);
    await keepPreferences(database, [word(elsewhere, { at: at(10), other: ADAS_ID })]);
    await keepPreferences(database, [word(elsewhere, { stopped: false, at: at(20) })]);
    assert.equal(await stopped(elsewhere), true, 'the later stop counts');
  });

  it('is kept for each of them although all are said in one batch', async () => {
    const all = [own, ...others];
    await keepPreferences(
      database,
      all.map((owner, place) => word(owner, { at: at(place) })),
    );
    assert.deepEqual(await Promise.all(all.map(stopped)), [true, true, true, true]);
  });

  it('of an identity that names somebody else by now does not speak for the person', async () => {
    await keepPreferences(database, [word(own, { other: ADAS_ID })]);
    const taken = { person: ADAS_ID, other: '+447700900732', stopped: false, at: at(10) };
    await keepPreferences(database, [word(own, taken)]);
    assert.equal(await stopped(own), true);
    const unnamed = { ...own, businessAccountId: 'elsewhere' };
    await keepPreferences(database, [word(unnamed)]);
    await keepPreferences(database, [word(unnamed, { ...taken, other: ADA })]);
    assert.equal(await stopped(unnamed), true, 'nor does one that the person has never named');
  });

  it('without a time is taken for a repetition for seven days, and for a new one after that', async () => {
    const untimed = (seconds: number, more: Partial<Preference> = {}) =>
      keepPreferences(database, [word(own, { timed: false, at: at(seconds), ...more })]);
    await untimed(0);
    await keepPreferences(database, [word(own, { stopped: false, at: at(1) })]);
    await untimed(WEEK_SECONDS - 1);
    assert.equal(await stopped(own), false);
    await untimed(WEEK_SECONDS);
    assert.equal(await stopped(own), true);
  });

  it('without a time that is repeated in one batch does not count again, one with a time does', async () => {
    const untimed = (seconds: number) => word(own, { timed: false, at: at(seconds) });
    const resume = word(own, { stopped: false, at: at(10) });
    await keepPreferences(database, [untimed(0), resume, untimed(20)]);
    assert.equal(await stopped(own), false);
    const [first, last] = [word(own, { at: at(30) }), word(own, { at: at(50) })];
    const unlike = word(own, { person: 'GB.SOMEBODY', timed: false });
    await keepPreferences(database, [unlike, first, { ...resume, at: at(40) }, last]);
    assert.equal(await stopped(own), true);
  });

  it('that comes late tells the other identity all the same', async () => {
    await keepPreferences(database, [word(own, { at: at(20) })]);
    await keepPreferences(database, [word(own, { at: at(10), other: ADAS_ID })]);
    await keepPreferences(database, [word(own, { person: ADAS_ID, other: ADA, stopped: false, at: at(30) })]);
    assert.equal(await stopped(own), false);
  });

  it('names the other identity that the latest word told, in whatever order they come, also in one batch', async () => {
    const old = word(own, { at: at(10), other: 'GB.OLD', stopped: false });
    const latest = word(own, { at: at(20), other: ADAS_ID });
    const elsewhere = { ...own, businessAccountId: 'elsewhere' };
    for (const one of [latest, old]) await keepPreferences(database, [one]);
    await keepPreferences(
      database,
      [old, latest].map((one) => ({ ...one, ...elsewhere })),
    );
    for (const owner of [own, elsewhere]) {
      assert.equal(await stopped(owner), true);
      const resume = word(owner, { person: ADAS_ID, other: ADA, stopped: false, at: at(30) });
      await keepPreferences(database, [resume]);
      assert.equal(await stopped(owner), false);
    }
  });

  it('of a parent user id counts for each user id that has not said another one since', async () => {
    const parentStopped = async (business: string, words: readonly Partial<Preference>[]) => {
      const owner = { ...own, businessAccountId: business };
      for (const one of words) await keepPreferences(database, [word(owner, one)]);
      return (await findStopped(database, owner, [PARENT])).has(PARENT);
    };
    const [first, second] = ['GB.1', 'GB.2'];
    for (const userId of [first, second])
      await keepParents(database, [{ accountId, mode: 'live', parentUserId: PARENT, userId, at: at(0) }]);
    const parent = { person: PARENT, at: at(10) };
    const resumed = { person: first, stopped: false, at: at(20) };
    assert.equal(await parentStopped('one', [parent, resumed]), false);
    assert.equal(await parentStopped('both', [parent, resumed, { person: second, at: at(5) }]), true);
    const sameSecond = { person: first, at: at(10) };
    assert.equal(await parentStopped('second', [{ ...parent, stopped: false }, sameSecond]), true, 'a stop counts');
  });

  it('is no repetition of what was said elsewhere or by somebody else', async () => {
    for (const owner of others) await keepPreferences(database, [word(owner, { timed: false })]);
    await keepPreferences(database, [word(own, { timed: false, person: 'GB.SOMEBODY' })]);
    await keepPreferences(database, [word(own, { timed: false, at: at(5) })]);
    assert.ok(await stopped(own));
  });

  it('under the other identity counts where it was said, and nowhere else', async () => {
    await keepPreferences(database, [word(own, { stopped: false, other: ADAS_ID })]);
    const later = { person: ADAS_ID, other: ADA, at: at(10) };
    for (const owner of others) await keepPreferences(database, [word(owner, later)]);
    assert.equal(await stopped(own), false);
    await keepPreferences(database, [word(own, later)]);
    assert.equal(await stopped(own), true);
  });
});

async function addChannel(
  owner: string,
  mode: Mode,
  phoneNumberId: string,
  status: 'connected' | 'removed' = 'connected',
): Promise<string> {
  const id = newId();
  await database.query(
    `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
     values ($1, $2, $3, $4, '2', '+15550790000', '', $5)`,
    [owner, id, mode, phoneNumberId, status],
  );
  return id;
}
