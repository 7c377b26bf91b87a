import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { countStatements } from '../../test/support/count-statements.ts';
import { sendingChannel } from '../../test/support/sending-channel.ts';
import { until } from '../../test/support/until.ts';
import { claimDue } from '../../test/templates/claim-due.ts';
import { listed, pageOf } from '../../test/templates/listing-server.ts';
import { type ListingWorld, startListingWorld } from '../../test/templates/listing-world.ts';
import { addLiveChannel } from '../../test/templates/live-channel.ts';
import type { SendingChannel } from '../channels/channels.ts';
import { newId } from '../kernel/ids.ts';
import { createTemplateRegistry, type TemplateRegistry } from './registry.ts';
import { syncDueTemplates } from './schedule.ts';
import { applyTemplateNews, listTemplateRows } from './store.ts';
import { ownerOf } from './sync.ts';
import { makeSyncsDue, noteNewSyncs } from './sync-store.ts';

let world: ListingWorld;
let test: ListingWorld['test'];
let server: ListingWorld['server'];
let provider: ListingWorld['provider'];
let registry: TemplateRegistry;
let channel: SendingChannel;
let steadyMs = 0;
const clock = { steadyMs: () => steadyMs };
const { signal: closing } = new AbortController();

before(async () => {
  world = await startListingWorld();
  ({ test, server, provider } = world);
});
after(() => world.close());
beforeEach(async () => {
  const accountId = newId();
  await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  channel = sendingChannel(accountId);
  registry = createTemplateRegistry({ database: test.database, provider, clock, suspend });
});
afterEach(() => {
  server.queries.length = 0;
});

const suspend = async () => assert.fail('no token was refused');
const serve = (...templates: object[]) => {
  server.answer = (query) => pageOf(templates, query);
};
const away = () => {
  server.answer = () => ({ status: 503, body: '' });
};
const sync = () => registry.syncAnew(channel, closing);
async function lookUp(name = 'order', language = 'en_US') {
  const found = await registry.lookUp(channel, name, language);
  return found.kind === 'approved' ? 'approved' : found.error.code;
}
const pass = (ms: number) => {
  steadyMs += ms;
};
const names = async () => {
  const all = { name: null, language: null, status: null, before: null };
  const filter = { businessAccountIds: [channel.businessAccountId], ...all };
  return (await listTemplateRows(test.database, { accountId: channel.accountId, mode: 'live' }, filter, 1_000))
    .map(({ name }) => name)
    .sort();
};
const eventsOf = async (accountId: string) => {
  const select = "select body->'template' as template from (select data as body from event where account_id = $1) e";
  return (await test.database.query<{ template: { name: string; status: string } }>(select, [accountId])).map(
    ({ template }) => [template.name, template.status],
  );
};

describe('the first reading', () => {
  it('is asked for with one statement for all business accounts of an account, and made of those that have none', async () => {
    const { accountId } = channel;
    const channels = Array.from({ length: 20 }, (_, place) => sendingChannel(accountId, `business ${place}`));
    serve(listed('order'));
    assert.equal(await registry.syncOnce({ accountId, mode: 'live' }, channels.slice(1), closing), true);
    assert.equal(server.queries.length, 19);
    const { store, statements } = countStatements(test.database);
    const counted = createTemplateRegistry({ database: store, provider, clock, suspend });
    assert.equal(await counted.syncOnce({ accountId, mode: 'live' }, channels.slice(1), closing), true);
    assert.equal(statements(), 1);
    assert.equal(await counted.syncOnce({ accountId, mode: 'live' }, channels, closing), true);
    assert.equal(server.queries.length, 20);
  });

  it('cannot be made by a suspended channel', async () => {
    const { accountId } = channel;
    assert.equal(
      await registry.syncOnce({ accountId, mode: 'live' }, [{ ...channel, suspended: true }], closing),
      false,
    );
    assert.equal(server.queries.length, 0);
  });
});

describe('looking a template up', () => {
  it('asks the provider for a name that is not known, once, for all who ask in the same moment', async () => {
    serve(listed('order'));
    const codes = await Promise.all(Array.from({ length: 50 }, () => lookUp()));
    assert.deepEqual(new Set(codes), new Set(['approved']));
    assert.deepEqual(
      server.queries.map((query) => query.get('name')),
      ['order'],
    );
  });

  it('knows at once what a sync or a notification has changed', async () => {
    serve(listed('order'));
    assert.equal(await lookUp(), 'approved');
    serve(listed('order', { status: 'PAUSED' }));
    await sync();
    assert.equal(await lookUp(), 'template_paused');
    serve(listed('order'));
    await sync();
    assert.equal(await lookUp(), 'approved');
    away();
    const news = { name: 'order', language: null, status: 'disabled', category: null, quality: null };
    await applyTemplateNews(test.database, { ...ownerOf(channel), ...news });
    registry.forget();
    assert.equal(await lookUp(), 'template_disabled');
  });

  it('asks for a name that is still missing once a minute, and finds it when it has come', async () => {
    serve();
    assert.equal(await lookUp(), 'template_not_found');
    serve(listed('order'));
    pass(59_000);
    assert.equal(await lookUp(), 'template_not_found');
    assert.equal(server.queries.length, 1);
    assert.equal(await lookUp('other'), 'template_not_found');
    assert.equal(server.queries.length, 2, 'another name is another question');
    pass(1_000);
    assert.equal(await lookUp(), 'approved');
    assert.equal(server.queries.length, 3);
    for (let day = 0; day < 3; day++) {
      pass(86_400_000);
      assert.equal(await lookUp(), 'approved');
    }
    assert.equal(server.queries.length, 3, 'a hit asks nothing');
  });

  it('knows at once what was missing and a sync has brought, and what others have asked for at the same time', async () => {
    serve();
    assert.equal(await lookUp(), 'template_not_found');
    serve(listed('order'));
    await sync();
    assert.equal(await lookUp(), 'approved');
    const told = Promise.withResolvers<void>();
    server.answer = async (query) => {
      await told.promise;
      return pageOf([listed('other')], query);
    };
    const asked = server.queries.length;
    const first = lookUp('other');
    await until(() => server.queries.length > asked);
    const second = lookUp('other');
    told.resolve();
    assert.deepEqual(await Promise.all([first, second]), ['approved', 'approved']);
    assert.equal(server.queries.length, asked + 1);
  });

  it('names the languages where only the language is missing, and otherwise says whose templates it looked at', async () => {
    serve(listed('order', { language: 'pt_BR' }), listed('order', { language: 'de' }), listed('order_update'));
    const found = await registry.lookUp(channel, 'order', 'en_US');
    assert.ok(found.kind === 'refused');
    assert.deepEqual(found.error, {
      code: 'template_not_found',
      detail: 'The template does not exist in this language; it exists in de, pt_BR',
    });
    const toldOf = async (name: string) => JSON.stringify(await registry.lookUp(channel, name, 'en_US'));
    assert.match(await toldOf('absent'), /"The channel's business account has no [a-z ]+ name"/);
    assert.match(await toldOf('Order'), /name: names have lower-case letters/);
  });

  for (const [status, code] of Object.entries({
    PAUSED: 'template_paused',
    DISABLED: 'template_disabled',
    PENDING: 'template_not_approved',
    REJECTED: 'template_not_approved',
    ARCHIVED: 'template_not_approved',
    IN_APPEAL: 'template_not_approved',
    SOMETHING_NEW: 'template_not_approved',
  }))
    it(`refuses what is ${status}, and asks once more whether it still is`, async () => {
      serve(listed('order', { status }));
      await sync();
      assert.equal(await lookUp(), code);
      assert.equal(server.queries.length, 2);
      serve(listed('order'));
      assert.equal(await lookUp(), code, 'asked within the minute');
      pass(60_000);
      assert.equal(await lookUp(), 'approved');
    });

  it('cannot tell without the provider where nothing was ever read', async () => {
    away();
    assert.equal(await lookUp(), 'provider_unavailable');
    assert.equal(await lookUp(), 'provider_unavailable');
    assert.equal(server.queries.length, 1);
  });

  it('cannot tell without the provider where a notification came before the first reading', async () => {
    await test.database.query(
      "insert into template_sync (account_id, mode, business_account_id) values ($1, 'live', '2')",
      [channel.accountId],
    );
    await makeSyncsDue(test.database, [ownerOf(channel)]);
    away();
    assert.equal(await lookUp(), 'provider_unavailable');
  });

  it('judges by what is known where the provider is away but was read before', async () => {
    serve(listed('order'), listed('paused', { status: 'PAUSED' }));
    await sync();
    away();
    assert.equal(await lookUp('order'), 'approved');
    assert.equal(await lookUp('paused'), 'template_paused');
    assert.equal(await lookUp('absent'), 'template_not_found');
    assert.equal(await lookUp('order', 'de'), 'template_not_found');
  });

  it('keeps accounts apart, although they share the business account', async () => {
    serve(listed('order'));
    await sync();
    const { accountId } = channel;
    const other = newId();
    await test.database.query('insert into account (id, name) values ($1, $2)', [other, 'Other']);
    channel = { ...channel, accountId: other };
    away();
    assert.equal(await lookUp(), 'provider_unavailable');
    channel = { ...channel, accountId };
    assert.equal(await lookUp(), 'approved');
  });
});

describe('accounts that share a business account', () => {
  const join = async () => {
    const accountId = newId();
    await test.database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Other']);
    return { ...channel, accountId, sender: { ...channel.sender, accessToken: `token of ${accountId}` } };
  };
  const lookUpAs = async (one: SendingChannel) => {
    channel = one;
    return lookUp();
  };

  it('ask for a name that is missing once a minute together, and each of them learns of it', async () => {
    const [first, second] = [channel, await join()];
    serve();
    assert.equal(await lookUpAs(first), 'template_not_found');
    pass(50_000);
    serve(listed('order'));
    assert.equal(await lookUpAs(second), 'template_not_found');
    assert.equal(server.queries.length, 1);
    pass(10_000);
    assert.equal(await lookUpAs(second), 'approved');
    assert.equal(await lookUpAs(first), 'approved');
    assert.equal(server.queries.length, 2);
  });

  it('ask for themselves where the provider refuses the token of the other', async () => {
    const [first, second, third] = [channel, await join(), await join()];
    const { accessToken } = first.sender;
    server.answer = (query, { headers }) =>
      headers.authorization === `Bearer ${accessToken}` ? { status: 401, body: '' } : pageOf([listed('order')], query);
    assert.equal(await lookUpAs(first), 'provider_unavailable');
    assert.equal(await lookUpAs(second), 'approved');
    assert.equal(await lookUpAs(third), 'approved');
    assert.equal(await lookUpAs(first), 'provider_unavailable');
    assert.equal(server.queries.length, 3);
  });
});

describe('reading all templates', () => {
  it('counts what is new, changed, removed and there, and tells of changes and removals only', async () => {
    serve(listed('a'), listed('b'), listed('c'));
    assert.deepEqual(await sync(), { added: 3, changed: 0, removed: 0, total: 3 });
    assert.deepEqual(await eventsOf(channel.accountId), []);
    serve(listed('a'), listed('b', { status: 'PAUSED' }), listed('d'), listed('d'));
    assert.deepEqual(await sync(), { added: 1, changed: 1, removed: 1, total: 3 });
    assert.deepEqual(await eventsOf(channel.accountId), [
      ['b', 'paused'],
      ['c', 'deleted'],
    ]);
    assert.deepEqual(await sync(), { added: 0, changed: 0, removed: 0, total: 3 });
    assert.deepEqual(await names(), ['a', 'b', 'd']);
  });

  it('changes nothing if a page fails midway', async () => {
    serve(listed('old'));
    await sync();
    const many = Array.from({ length: 250 }, (_, place) => listed(`new_${place}`));
    server.answer = (query) => (query.get('after') === '200' ? { status: 500, body: '' } : pageOf(many, query));
    assert.equal(await sync(), undefined);
    assert.deepEqual(await names(), ['old']);
    assert.deepEqual(await eventsOf(channel.accountId), []);
    serve(...many);
    assert.deepEqual(await sync(), { added: 250, changed: 0, removed: 1, total: 250 });
  });

  it('is one reading for all who want it at the same time', async () => {
    serve(listed('a'));
    const counts = await Promise.all(Array.from({ length: 20 }, sync));
    assert.equal(server.queries.length, 1);
    for (const one of counts) assert.deepEqual(one, { added: 1, changed: 0, removed: 0, total: 1 });
  });

  it('keeps templates of unknown kinds as they are', async () => {
    const components = [{ type: 'HOLOGRAM', depth: { cm: 3 } }, 'text', null, 7, { type: 'BODY', text: 'a\0b' }];
    serve(listed('odd', { components, category: 'NEW', language: 'xx' }), listed('a'));
    assert.equal((await sync())?.added, 2);
    assert.equal(await lookUp('odd', 'xx'), 'approved');
  });

  it('stays due if a notification came while the provider was asked', async () => {
    serve(listed('a'));
    await sync();
    await addLiveChannel(test.database, channel);
    const owner = ownerOf(channel);
    const isDue = async () =>
      (await claimDue(test.database, 100)).some(({ accountId }) => accountId === owner.accountId);
    assert.equal(await isDue(), false);
    await makeSyncsDue(test.database, [owner]);
    assert.equal(await isDue(), true);
    assert.equal(await isDue(), false, 'it is claimed');
    const hold = Promise.withResolvers<void>();
    server.answer = async (query) => {
      await hold.promise;
      return pageOf([listed('a')], query);
    };
    const asked = server.queries.length;
    const reading = sync();
    await until(() => server.queries.length > asked);
    await makeSyncsDue(test.database, [owner]);
    hold.resolve();
    await reading;
    assert.equal(await isDue(), true);
    await sync();
    assert.equal(await isDue(), false);
  });

  it('is done anew for who asks during one, and by the schedule if a notification came during it', async () => {
    await addLiveChannel(test.database, channel);
    const told = Promise.withResolvers<void>();
    server.answer = async (query) => {
      await told.promise;
      return pageOf([listed('a')], query);
    };
    const reading = sync();
    await until(() => server.queries.length === 1);
    await makeSyncsDue(test.database, [ownerOf(channel)]);
    const channels = { listUsable: async () => [channel], forget: () => undefined };
    const round = syncDueTemplates({ database: test.database, channels, registry, closing });
    await until(async () => (await startedOf(channel)) !== null);
    const asked = Promise.all([1, 2].map(() => registry.syncAll([channel], closing)));
    serve(listed('a'), listed('b'));
    told.resolve();
    assert.equal((await reading)?.total, 1);
    await round;
    assert.deepEqual(await asked, Array(2).fill({ added: 1, changed: 0, removed: 0, total: 2 }));
    assert.equal(server.queries.length, 2, 'those who wait share the next one');
    assert.deepEqual(await names(), ['a', 'b']);
    assert.equal(await startedOf(channel), null, 'nothing is left of the claim');
  });

  it('leaves to other nodes what is due while one business account is long in being read', async () => {
    await test.database.query("update channel set status = 'removed'");
    const both = ['10', '11'].map((businessAccountId) => ({ ...channel, businessAccountId }));
    for (const one of both) await addLiveChannel(test.database, one);
    assert.equal(await noteNewSyncs(test.database), 2);
    assert.equal(await noteNewSyncs(test.database), 0, 'they are noted once, and due from then on');
    const told = Promise.withResolvers<void>();
    server.answer = async (query) => {
      if (server.queries.length === 1) await told.promise;
      return pageOf([listed('a')], query);
    };
    const round = () => {
      const node = createTemplateRegistry({ database: test.database, provider, clock, suspend });
      return syncDueTemplates({
        database: test.database,
        channels: { listUsable: async () => both, forget: () => undefined },
        registry: node,
        closing,
      });
    };
    const slow = round();
    await until(() => server.queries.length === 1);
    assert.equal(await round(), 1);
    told.resolve();
    assert.equal(await slow, 1);
    assert.equal(server.queries.length, 2);
  });
});

async function startedOf({ accountId }: SendingChannel): Promise<Date | null> {
  const select = 'select started_at from template_sync where account_id = $1';
  return (await test.database.query<{ started_at: Date | null }>(select, [accountId]))[0]?.started_at ?? null;
}
