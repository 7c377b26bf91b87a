import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { meetLock } from '../../test/support/meet-lock.ts';
import { quickestMs } from '../../test/support/quickest.ts';
import { sendingChannel } from '../../test/support/sending-channel.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { claimDue } from '../../test/templates/claim-due.ts';
import { listed, pageOf } from '../../test/templates/listing-server.ts';
import { type ListingWorld, startListingWorld } from '../../test/templates/listing-world.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import type { SendingChannel } from '../channels/channels.ts';
import { newId } from '../kernel/ids.ts';
import type { Queryable } from '../store/database.ts';
import { applyTemplateNews, findTemplatesByName } from './store.ts';
import { keepReading, ownerOf, readName, syncTemplates } from './sync.ts';
import { listSynced, makeSyncsDue, noteBegun, readDatabaseTime } from './sync-store.ts';

let world: ListingWorld;
let test: ListingWorld['test'];
let server: ListingWorld['server'];
let provider: ListingWorld['provider'];
let channel: SendingChannel;
let accountId: string;

before(async () => {
  world = await startListingWorld();
  ({ test, server, provider } = world);
});
after(() => world.close());
beforeEach(async () => {
  accountId = newId();
  await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  channel = sendingChannel(accountId);
});

const serve = (...templates: object[]) => {
  server.answer = (query) => pageOf(templates, query);
};
let suspended: SendingChannel[] = [];
async function sync(name?: string) {
  const suspend = async (one: SendingChannel) => void suspended.push(one);
  const deps = { database: test.database, provider, suspend };
  if (name === undefined) return syncTemplates(deps, channel);
  const reading = await readName(deps, channel, name);
  return reading && keepReading(test.database, ownerOf(channel), reading);
}
const tell = (name: string, status: string, store: Queryable = test.database) =>
  applyTemplateNews(store, { ...ownerOf(channel), ...NO_NEWS, name, status });
/** The most that the provider has of one business account. */
const TEMPLATES_MAX = 6_000;
/** A part of the time in which all are added; a tenth of that is usual. It was as long as that while each was looked for among all. */
const KEPT_PART_MAX = 1 / 3;
const AWAY = { status: 503, body: '' };
const NO_NEWS = { language: null, category: null, quality: null };
const statusOf = async (name: string) =>
  (await findTemplatesByName(test.database, ownerOf(channel), name)).map(({ status }) => status);
const isDue = async () => (await claimDue(test.database, 100)).some((due) => due.accountId === accountId);
const eventsOf = async () =>
  (
    await test.database.query<{ status: string }>(
      "select data->'template'->>'status' as status from event where account_id = $1 order by sequence",
      [accountId],
    )
  ).map(({ status }) => status);

/** With pictures in its header and in a card, whose addresses the provider signs anew for each answer. */
function pictured(signature: string, picture = 'one') {
  const handle = `https://media.example/v/${picture}.jpg?ccb=1-7&oh=${signature}&oe=68BADCB3`;
  const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: [handle] } };
  const body = { type: 'BODY', text: '"header_handle": ["https://media.example/?{{1}}"]' };
  return listed('pictured', { components: [header, body, { type: 'CAROUSEL', cards: [{ components: [header] }] }] });
}

/** Begins a reading whose list is complete and not told yet; the next readings are answered at once. */
async function beginSlowReading(...templates: object[]) {
  const asked = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  server.answer = async (query) => {
    asked.resolve();
    await told.promise;
    return pageOf(templates, query);
  };
  const reading = sync();
  await asked.promise;
  return {
    async end() {
      told.resolve();
      return reading;
    },
  };
}

describe('a reading', () => {
  it('that the provider refuses because of the token suspends the channel, whatever is read', async () => {
    for (const name of [undefined, 'order'])
      for (const [code, suspends] of [
        [190, true],
        [0, true],
        [10, false],
      ] as const) {
        suspended = [];
        server.answer = () => ({ status: 401, body: { error: { code, message: 'No' } } });
        assert.equal(await sync(name), undefined);
        assert.deepEqual(suspended, suspends ? [channel] : [], `code ${code}`);
      }
  });

  it('leaves a template alone that was learned after it began', async () => {
    const slow = await beginSlowReading();
    serve(listed('made_meanwhile'));
    assert.equal((await sync('made_meanwhile'))?.added, 1);
    assert.deepEqual(await slow.end(), { added: 0, changed: 0, removed: 0, total: 0 });
    assert.deepEqual(await statusOf('made_meanwhile'), ['approved']);
    assert.deepEqual(await eventsOf(), [], 'nothing was deleted');
  });

  it('is made good soon where one that began later has ended first and found nothing new', async () => {
    await addLiveChannel(test.database, channel);
    serve(listed('order'));
    await sync();
    const slow = await beginSlowReading(listed('order', { status: 'PAUSED' }));
    serve(listed('order'));
    assert.deepEqual(await sync(), { added: 0, changed: 0, removed: 0, total: 1 });
    assert.equal(await isDue(), false);
    await slow.end();
    assert.deepEqual(await statusOf('order'), ['paused'], 'nothing tells that this is older');
    assert.equal(await isDue(), true);
  });

  it('keeps all others where the provider lists one with a name or a language that no index takes', async () => {
    const endless = randomBytes(6_000).toString('hex');
    serve(listed(endless), listed('one'), listed('two', { language: endless }));
    assert.deepEqual(await sync(), { added: 1, changed: 0, removed: 0, total: 1 });
    assert.deepEqual(await statusOf('one'), ['approved']);
  });

  it('that lists a template twice keeps the one that is approved', async () => {
    const approved = listed('twice', { id: '111' });
    const leaving = listed('twice', { id: '222', status: 'PENDING_DELETION' });
    for (const both of [
      [approved, leaving],
      [leaving, approved],
    ]) {
      serve(...both);
      assert.equal((await sync())?.total, 1);
      assert.deepEqual(await statusOf('twice'), ['approved']);
    }
  });

  it("takes no new signature of an example's address for a change, and keeps the newest", async () => {
    serve(pictured('first'));
    await sync();
    const [before] = await findTemplatesByName(test.database, ownerOf(channel), 'pictured');
    for (const name of [undefined, 'pictured']) {
      serve(pictured('latest'));
      assert.deepEqual(await sync(name), { added: 0, changed: 0, removed: 0, total: 1 });
    }
    const [after] = await findTemplatesByName(test.database, ownerOf(channel), 'pictured');
    assert.deepEqual(after?.updated_at, before?.updated_at);
    assert.deepEqual(after?.components, pictured('latest').components);
    assert.deepEqual(await eventsOf(), []);
    serve(pictured('latest', 'another'));
    assert.equal((await sync())?.changed, 1, 'another picture is a change');
  });

  it('takes none for gone that stands on no page because another one was deleted while the pages were read', async () => {
    const many = Array.from({ length: 150 }, (_, place) => listed(`many_${place}`));
    serve(...many);
    await sync();
    const idOf = async (name: string) => (await findTemplatesByName(test.database, ownerOf(channel), name))[0]?.id;
    const id = await idOf('many_100');
    server.answer = (query) => {
      const page = pageOf([...many], query);
      // After the first page, whose templates a cursor counts by their places.
      if (many.length === 150) many.shift();
      return page;
    };
    assert.deepEqual(
      await sync(),
      { added: 0, changed: 0, removed: 0, total: 150 },
      'it was there when the pages were read',
    );
    assert.equal(await idOf('many_100'), id);
    assert.deepEqual(await sync(), { added: 0, changed: 0, removed: 1, total: 149 });
    assert.deepEqual(await eventsOf(), ['deleted']);
  });

  it('of one name is not taken for a reading of all', async () => {
    await noteBegun(test.database, ownerOf(channel));
    serve(listed('a'), listed('b'));
    assert.equal((await sync('a'))?.added, 1);
    const { businessAccountId } = channel;
    assert.deepEqual(await listSynced(test.database, ownerOf(channel), [businessAccountId]), new Set());
    await sync();
    assert.deepEqual(
      await listSynced(test.database, ownerOf(channel), [businessAccountId]),
      new Set([businessAccountId]),
    );
  });

  it('is due again if a notification came meanwhile, also if it is the first one', async () => {
    await addLiveChannel(test.database, channel);
    for (const which of ['first', 'next']) {
      const slow = await beginSlowReading(listed('a'));
      await makeSyncsDue(test.database, [ownerOf(channel)]);
      await slow.end();
      assert.equal(await isDue(), true, `the ${which} one`);
    }
    serve(listed('a'));
    await sync();
    assert.equal(await isDue(), false);
  });

  it('is not due again because another one has begun before it ended', async () => {
    await addLiveChannel(test.database, channel);
    const slow = await beginSlowReading(listed('a'));
    const later = await beginSlowReading(listed('a'));
    await slow.end();
    assert.equal(await isDue(), false, 'the later one is under way');
    await later.end();
    assert.equal(await isDue(), false);
  });

  it('that fails is due again in a minute, and at once if a notification came meanwhile', async () => {
    await addLiveChannel(test.database, channel);
    server.answer = () => AWAY;
    assert.equal(await sync(), undefined);
    assert.equal(await isDue(), false, 'not in the next round');
    await test.database.query("update template_sync set started_at = started_at - interval '61 seconds'");
    assert.equal(await isDue(), true);

    const asked = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    server.answer = async () => {
      asked.resolve();
      await told.promise;
      return AWAY;
    };
    const reading = sync();
    await asked.promise;
    await makeSyncsDue(test.database, [ownerOf(channel)]);
    told.resolve();
    await reading;
    assert.equal(await isDue(), true);
  });

  it('does not undo what a notification has told after it began', async () => {
    serve(listed('a'));
    await sync();
    const slow = await beginSlowReading(listed('a'));
    await tell('a', 'paused');
    assert.equal((await slow.end())?.changed, 0);
    assert.deepEqual(await statusOf('a'), ['paused']);
    serve(listed('a'));
    assert.equal((await sync())?.changed, 1, 'a later one does');
  });

  it('does not tell again that a template is deleted which a notification has told to be', async () => {
    serve(listed('a'), listed('b'));
    await sync();
    await tell('a', 'deleted');
    serve();
    assert.equal((await sync())?.removed, 2);
    assert.deepEqual(await eventsOf(), ['deleted'], 'of the other one');
  });

  it('does not undo what a notification has told after it began, also if that was applied in an older transaction', async () => {
    serve(listed('a'));
    await sync();
    const slow = await test.database.transaction(async (tx) => {
      await tx.query('select 1');
      const reading = await beginSlowReading(listed('a'));
      await tell('a', 'paused', tx);
      return reading;
    });
    assert.equal((await slow.end())?.changed, 0);
    assert.deepEqual(await statusOf('a'), ['paused']);
  });

  it('that began later holds, also if an earlier one has ended in between', async () => {
    const slow = await beginSlowReading(listed('a', { status: 'PENDING' }));
    const later = await beginSlowReading(listed('a'));
    await slow.end();
    await later.end();
    assert.deepEqual(await statusOf('a'), ['approved']);
  });

  it('changes a template again whose time is still to come, because the clock was ahead', async () => {
    serve(listed('a'));
    await sync();
    await test.database.query("update template set updated_at = now() + interval '26 hours' where account_id = $1", [
      accountId,
    ]);
    serve();
    assert.equal((await sync())?.removed, 1);
  });

  it('that finds thousands as they were is kept at once', async () => {
    const template = {
      id: '1',
      language: 'en',
      status: 'approved',
      category: 'utility',
      components: [],
      quality: null,
    };
    const listed = Array.from({ length: TEMPLATES_MAX }, (_, place) => {
      return { ...template, name: `many_${place}`, parameterFormat: 'named' as const };
    });
    const keep = async () => {
      const begunAt = await readDatabaseTime(test.database);
      return keepReading(test.database, ownerOf(channel), { listed, name: undefined, begunAt });
    };
    const startMs = performance.now();
    assert.equal((await keep())?.added, TEMPLATES_MAX);
    const limitMs = (performance.now() - startMs) * KEPT_PART_MAX;
    const tookMs = await quickestMs(limitMs, async () => {
      assert.deepEqual(await keep(), { added: 0, changed: 0, removed: 0, total: TEMPLATES_MAX });
    });
    assert.ok(tookMs < limitMs, `${Math.round(tookMs)} of ${Math.round(limitMs)} ms`);
  });

  it('of an account that is erased while the provider lists ends quietly', async () => {
    server.answer = async (query) => {
      await test.database.query('delete from template_sync where account_id = $1', [accountId]);
      await test.database.query('delete from account where id = $1', [accountId]);
      return pageOf([listed('a')], query);
    };
    assert.equal(await sync(), undefined);
    assert.deepEqual(await test.database.query('select 1 from template_sync where account_id = $1', [accountId]), []);
  });

  it('locks no template before it has waited for news of the business account', async () => {
    serve(listed('a'), listed('b'));
    await sync();
    const slow = await beginSlowReading(listed('a', { status: 'PAUSED' }), listed('b', { status: 'PAUSED' }));
    const counts = await meetLock(test.database, {
      hold: (tx) => makeSyncsDue(tx, [ownerOf(channel)]),
      work: slow.end,
      meanwhile: async (tx) => {
        await tx.query('select 1 from template where account_id = $1 for update nowait', [accountId]);
        await tell('b', 'disabled', tx);
      },
    });
    assert.equal(counts?.changed, 1);
    assert.deepEqual([await statusOf('a'), await statusOf('b')], [['paused'], ['disabled']]);
  });

  it('is kept although a notification changes the same templates in another order', async () => {
    serve(listed('a'), listed('b'));
    await sync();
    const { database } = test;
    serve(listed('a', { status: 'PAUSED' }), listed('b', { status: 'PAUSED' }));
    let reading: ReturnType<typeof sync> | undefined;
    await database.transaction(async (tx) => {
      // Of two that wait for one another the one that looks first is rolled back: that is to be the reading.
      await tx.query("set local deadlock_timeout to '20s'");
      await tell('b', 'disabled', tx);
      reading = sync();
      await until(async () => (await countWaitingForLocks(database)) === 1);
      await tell('a', 'disabled', tx);
    });
    assert.equal((await reading)?.total, 2);
  });
});
