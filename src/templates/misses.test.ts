import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sendingChannel } from '../../test/support/sending-channel.ts';
import { listed, pageOf, startListingServer } from '../../test/templates/listing-server.ts';
import { startListingWorld } from '../../test/templates/listing-world.ts';
import type { SendingChannel } from '../channels/channels.ts';
import { systemClock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { createWhatsAppProvider } from '../provider/whatsapp/client/client.ts';
import type { Database, Queryable } from '../store/database.ts';
import { createTemplateRegistry, type TemplateRegistry } from './registry.ts';
import { syncTemplates } from './sync.ts';

it('What is missing is remembered, in the store and at the provider, for as long as what is there', async () => {
  const { test, server, provider, close } = await startListingWorld();
  try {
    let steadyMs = 0;
    let statements = 0;
    const clock = { steadyMs: () => steadyMs };
    const database = countingStatements(test.database, () => statements++);
    const suspend = async () => assert.fail('no token was refused');
    const registry = createTemplateRegistry({ database, provider, clock, suspend });
    const channel = await addChannel(test.database);
    server.answer = (query) => pageOf([], query);
    assert.equal(await lookUp(registry, channel), 'template_not_found');
    statements = 0;
    for (let send = 0; send < 20; send++) assert.equal(await lookUp(registry, channel), 'template_not_found');
    assert.deepEqual([statements, server.queries.length], [0, 1]);
    // Another gateway reads it.
    server.answer = (query) => pageOf([listed('order')], query);
    await syncTemplates({ database: test.database, provider, suspend }, channel);
    steadyMs += 1_500;
    assert.equal(await lookUp(registry, channel), 'approved');
  } finally {
    await close();
  }
});

it('What is read for one account is kept for each that asks, also soon after it has kept the reading before', async (t) => {
  const { test, server, provider, close } = await startListingWorld();
  t.after(close);
  let steadyMs = 0;
  const suspend = async () => assert.fail('no token was refused');
  const registry = createTemplateRegistry({
    ...{ database: test.database, provider, suspend },
    clock: { steadyMs: () => steadyMs },
  });
  const [channel, other] = [await addChannel(test.database), await addChannel(test.database)];
  server.answer = (query) => pageOf([], query);
  assert.equal(await lookUp(registry, channel), 'template_not_found');
  steadyMs = 50_000;
  assert.equal(await lookUp(registry, other), 'template_not_found');
  assert.equal(server.queries.length, 1, 'they share it');
  server.answer = (query) => pageOf([listed('order')], query);
  steadyMs = 61_000;
  assert.equal(await lookUp(registry, channel), 'approved');
  assert.equal(await lookUp(registry, other), 'approved');
  assert.equal(server.queries.length, 2);
});

it('What one mode has is not taken for what the other has, although both name the same business account', async (t) => {
  const { test, server, close } = await startListingWorld();
  t.after(close);
  const sandbox = await startListingServer();
  t.after(() => sandbox.close());
  const address = ({ url }: { url: string }) => ({ url, version: 'v25.0' });
  const limits = { timeoutMs: 20_000, connections: 2 };
  const provider = createWhatsAppProvider({ live: address(server), sandbox: address(sandbox), ...limits });
  t.after(() => provider.close());
  server.answer = (query) => pageOf([listed('order')], query);
  sandbox.answer = (query) => pageOf([listed('order', { status: 'PAUSED' })], query);
  const suspend = async () => assert.fail('no token was refused');
  const clock = { steadyMs: () => 0 };
  const registry = createTemplateRegistry({ database: test.database, provider, clock, suspend });
  const channel = await addChannel(test.database);
  assert.equal(await lookUp(registry, channel), 'approved');
  const ofTest = { ...channel, sender: { ...channel.sender, mode: 'test' as const } };
  assert.equal(await lookUp(registry, ofTest), 'template_paused');
});

it('No name that an account asks for keeps another account of the business account from its templates', async () => {
  const { test, server, provider, close } = await startListingWorld();
  try {
    const suspend = async () => undefined;
    const registry = createTemplateRegistry({ database: test.database, provider, clock: systemClock, suspend });
    const [channel, other] = [await addChannel(test.database), await addChannel(test.database)];
    server.answer = (query) => pageOf([], query);
    assert.equal(await lookUp(registry, other, `order ${channel.accountId}`), 'template_not_found');
    server.answer = () => ({ status: 500, body: '' });
    assert.equal(await lookUp(registry, other), 'provider_unavailable');
    server.answer = (query) => pageOf([listed('order')], query);
    assert.equal(await lookUp(registry, channel), 'approved');
  } finally {
    await close();
  }
});

async function lookUp(registry: TemplateRegistry, channel: SendingChannel, name = 'order'): Promise<string> {
  const found = await registry.lookUp(channel, name, 'en_US');
  return found.kind === 'approved' ? 'approved' : found.error.code;
}

async function addChannel(database: Database): Promise<SendingChannel> {
  const accountId = newId();
  await database.query('insert into account (id, name) values ($1, $2)', [accountId, 'Test']);
  return sendingChannel(accountId);
}

/** Counts those of transactions, too. */
function countingStatements(database: Database, onStatement: () => void): Database {
  const counting = <Store extends Queryable>(store: Store): Store => ({
    ...store,
    query: (...statement: Parameters<Queryable['query']>) => {
      onStatement();
      return store.query(...statement);
    },
  });
  return {
    ...counting(database),
    transaction: (work, limits) => database.transaction((tx) => work(counting(tx)), limits),
  };
}
