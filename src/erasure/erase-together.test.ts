import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endErasures, erase, letErasuresSettle, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { LAST_UUID, newId } from '../kernel/ids.ts';
import type { Database } from '../store/database.ts';
import { eraseSome } from './erase-person.ts';
import { insertErasure } from './person-store.ts';
import { emptyNotifications } from './walk-store.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

/** Two gateways go a stretch further: the second one begins while what the first one has done is not committed yet. */
async function eraseBeside(database: Database): Promise<void> {
  let second: Promise<boolean> | undefined;
  const beside: Database = {
    ...database,
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        const result = await work(tx);
        let ended = false;
        second = eraseSome(database, SETTLED_MS).finally(() => {
          ended = true;
        });
        await until(async () => ended || (await countWaitingForLocks(database)) === 1);
        return result;
      }, limits),
  };
  await eraseSome(beside, SETTLED_MS);
  await second;
}

describe('two persons of an account who are erased by two gateways at once', () => {
  it('leave nothing in a request in which nobody else is named', async () => {
    const { call, database } = gateway;
    const people = ['+447700900791', '+447700900792'];
    const body = { to: people, type: 'text', text: { body: 'Only for us' } };
    const { json } = await call('POST', '/api/v1/messages/send', { body });
    assert.equal(json.accepted_count, 2);
    for (const person of people) await erase(gateway, person);
    await until(async () => {
      await letErasuresSettle(database);
      await eraseBeside(database);
      return (await database.query('select 1 from erasure')).length === 0;
    });
    assert.deepEqual(await database.query('select content from request'), [{ content: null }]);
  });
});

describe('many persons of an account who are erased', () => {
  const numbers = Array.from({ length: 30 }, (_, place) => `+4477009008${String(place).padStart(2, '0')}`);
  const [stranger = '', late = '', ...people] = numbers;
  const userIdOf = (number: string) => `GB.TOGETHER${number.slice(-2)}`;
  const isNamed = async (name: string) =>
    (await gateway.database.query('select 1 from message where phone = $1 or user_id = $1', [name])).length > 0;

  before(async () => {
    const line = await lineOf(gateway);
    for (const number of numbers)
      for (const from of [
        { from: number.slice(1), from_user_id: userIdOf(number) },
        { from_user_id: userIdOf(number) },
      ])
        await postAndApply(
          gateway,
          messagesBody(line, { messages: [{ ...textFrom(number, `wamid.${newId()}`), ...from }] }),
        );
  });

  it('walk together, each with their own other names, and who is asked for meanwhile waits for the next walk', async () => {
    const { accountId, database } = gateway;
    await database.transaction(async (tx) => {
      // The gateway looks for erasures too, and sees none of this before its end.
      const inside: Database = { ...database, transaction: (work) => work(tx) };
      const ask = (person: string) => insertErasure(tx, { accountId, id: newId(), person, mark: `mark of ${person}` });
      const placesOf = () =>
        tx.query(
          'select down_step, down_to is null as at_start, count(*)::int from erasure group by 1, 2 order by 1, 2',
        );
      for (const person of people) await ask(person);
      assert.equal(await eraseSome(inside, SETTLED_MS), true);
      await ask(late);
      assert.deepEqual(await placesOf(), [
        { down_step: 0, at_start: false, count: people.length },
        { down_step: 0, at_start: true, count: 1 },
      ]);
      assert.equal(await eraseSome(inside, SETTLED_MS), true);
      assert.deepEqual(await placesOf(), [
        { down_step: 0, at_start: true, count: 1 },
        { down_step: 1, at_start: true, count: people.length },
      ]);
    });
    await endErasures(database);
    for (const person of [late, ...people])
      for (const name of [person, userIdOf(person)]) assert.ok(!(await isNamed(name)), name);
    for (const name of [stranger, userIdOf(stranger)]) assert.ok(await isNamed(name));
    const told = await database.query<{ person: string }>(
      "select detail->>'person' as person from audit where target = $1 and action = 'person.erased' and detail->>'person' like 'mark of %'",
      [accountId],
    );
    assert.deepEqual(
      told.map(({ person }) => person).sort(),
      [late, ...people].map((person) => `mark of ${person}`).sort(),
    );
  });

  it('have a bound for the bytes of bodies that are looked through at once, and get past a body that is above it', async () => {
    const { accountId, database } = gateway;
    await database.query("update notification set body = convert_to('from ' || $1, 'UTF8')", [stranger.slice(1)]);
    const isLeft = 'select count(*)::int as bodies from notification where octet_length(body) > 0';
    const bodies = (await database.query<{ bodies: number }>(isLeft))[0]?.bodies ?? 0;
    assert.ok(bodies > 3);
    const stretch = { accountId, place: LAST_UUID, limit: 100, asked: [], persons: [stranger, late], askedAt: [] };
    const leftAfter = async (bytesMax: number) => {
      const place = await database.transaction((tx) => emptyNotifications(tx, stretch, bytesMax));
      stretch.place = place ?? assert.fail('It has not gone on');
      return (await database.query<{ bodies: number }>(isLeft))[0]?.bodies;
    };
    assert.equal(await leftAfter(1), bodies - 1);
    // Two names: half as many bytes, which begin a second body.
    assert.equal(await leftAfter(2 * (stranger.length + 5)), bodies - 3);
    assert.equal(await leftAfter(1 << 20), 0);
  });
});
