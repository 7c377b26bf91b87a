import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  addChannel,
  asProvider,
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  postSigned,
  type TestLine,
} from '../support/notifications.ts';
import { until } from '../support/until.ts';

/** The most that the provider allows, which are 60 pages. */
const TEMPLATES = 6_000;
/** Some 3 s on a quiet machine with two cores, and several times that on one that runs other tests too. */
const SYNC_MS_MAX = 30_000;
/**
 * Blocks the claims of the schedule. It knows them by their time, which is that of their transaction; a reading that somebody asks for has
 * the time of the clock.
 */
const HOLD_SCHEDULE = `
  create function hold() returns trigger language plpgsql as 'begin return null; end';
  create trigger hold_schedule before update on template_sync for each row
    when (new.started_at = now() and new.synced_at = old.synced_at) execute function hold()`;
/** As much as fits into one call to the sandbox, whose bodies are limited. */
const PADDING = 'x'.repeat(200);

let gateway: TestGateway;
let line: TestLine;

async function start(): Promise<void> {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  line = await lineOf(gateway);
}

const listed = (name: string, more: object = {}) => ({
  ...{ name, language: 'en_US', status: 'APPROVED', category: 'UTILITY', parameter_format: 'POSITIONAL' },
  ...{ rejected_reason: 'NONE', quality_score: { score: 'GREEN' }, components: [{ type: 'BODY', text: 'Hello' }] },
  ...more,
});
async function serve(templates: object[], { businessAccountId } = line): Promise<void> {
  const answer = await fetch(`${gateway.sandbox.url}/_sandbox/templates`, {
    method: 'POST',
    body: JSON.stringify({ business_account_id: businessAccountId, templates }),
  });
  assert.equal(answer.status, 200, await answer.text());
}
const sync = async (key = gateway.testKey) => {
  const { status, json, text } = await gateway.call('POST', '/api/v1/templates/sync', { key });
  assert.equal(status, 200, text);
  return json;
};
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
const updates = async (key = gateway.testKey): Promise<any[]> =>
  (await gateway.call('GET', '/api/v1/events?type=template.updated&limit=100', { key })).json.data.map(
    (event: { data: { template: unknown } }) => event.data.template,
  );
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on every member that it reads.
const find = async (name: string, language = 'en_US'): Promise<any> =>
  (await gateway.call('GET', `/api/v1/templates?name=${name}&language=${language}`)).json.data[0];
const isDue = async (mode = 'test') => {
  const select = "select 1 from template_sync where mode = $1 and synced_at <= now() - interval '1 hour'";
  return (await gateway.database.query(select, [mode])).length > 0;
};
let toldSeconds = 1_767_225_600;
/** Each notification is news, because each one has another second. */
const tell = async (field: string, value: object, signer = asSandbox(gateway)) => {
  toldSeconds += 1;
  assert.equal((await postSigned(signer, changeBody(line, field, value, toldSeconds))).status, 200);
  await until(() => isProcessed(gateway));
};

describe('reading all templates', () => {
  before(start);
  after(() => gateway.stop());

  it('6,000 of them are read in seconds and with little memory, and counted', async (t) => {
    const templates = Array.from({ length: TEMPLATES }, (_, place) =>
      listed(`many_${place}`, { components: [{ type: 'BODY', text: `${PADDING}{{1}}` }] }),
    );
    const accountId = await gateway.createAccount('Many templates');
    const key = await gateway.createKey({ accountId });
    const ownLine = await lineOf(gateway, accountId);
    await serve(templates, ownLine);
    const beforeBytes = process.memoryUsage().rss;
    const startMs = performance.now();
    assert.deepEqual(await sync(key), { added: TEMPLATES, changed: 0, removed: 0, total: TEMPLATES });
    const tookMs = performance.now() - startMs;
    const grownMiB = Math.round((process.memoryUsage().rss - beforeBytes) / 1024 / 1024);
    const againMs = performance.now();
    assert.deepEqual(await sync(key), { added: 0, changed: 0, removed: 0, total: TEMPLATES });
    t.diagnostic(
      `${Math.round(tookMs)} ms, again ${Math.round(performance.now() - againMs)} ms, ${grownMiB} MiB more in this process`,
    );
    assert.ok(tookMs < SYNC_MS_MAX);
    assert.ok(grownMiB < 150);
    await serve(templates.slice(1), ownLine);
    assert.deepEqual(await sync(key), { added: 0, changed: 0, removed: 1, total: TEMPLATES - 1 });
    assert.deepEqual(
      (await updates(key)).map(({ name, status }) => [name, status]),
      [['many_0', 'deleted']],
    );
  });
});

describe('a notification', () => {
  // A gateway of its own. Its schedule does not read what is due before the last test.
  before(async () => {
    await start();
    await gateway.database.transaction((tx) => tx.runScript(HOLD_SCHEDULE));
    await serve([listed('told'), listed('told', { language: 'de' })]);
    await sync();
  });
  after(() => gateway.stop());
  const told = { message_template_id: 1, message_template_name: 'told', message_template_language: 'en-US' };
  const last = async () => {
    const { name, language, status, quality, category } = (await updates()).at(-1);
    return [name, language, status, quality, category];
  };

  it('of a status changes that language at once, is an event, and has all read anew', async () => {
    assert.equal(await isDue(), false);
    await tell('message_template_status_update', { ...told, event: 'PAUSED', reason: 'NONE' });
    assert.deepEqual(await last(), ['told', 'en_US', 'paused', 'green', 'utility']);
    assert.equal(await isDue(), true);
    assert.equal((await find('told', 'de')).status, 'approved');
  });

  it('of a status that is known already is no event', async () => {
    const count = (await updates()).length;
    await tell('message_template_status_update', { ...told, event: 'PAUSED', reason: 'AGAIN' });
    assert.equal((await updates()).length, count);
  });

  for (const [event, status] of [
    ['REINSTATED', 'approved'],
    ['FLAGGED', 'approved'],
    ['DISABLED', 'disabled'],
    ['UNARCHIVED', 'approved'],
    ['LOCKED', 'approved'],
    ['ARCHIVED', 'archived'],
    ['DELETED', 'deleted'],
    ['IN_APPEAL', 'in_appeal'],
    ['LIMIT_EXCEEDED', 'limit_exceeded'],
    ['PENDING', 'pending'],
    ['REJECTED', 'rejected'],
    ['PENDING_DELETION', 'pending_deletion'],
    ['APPROVED', 'approved'],
  ])
    it(`of the event ${event} leaves it ${status}`, async () => {
      await tell('message_template_status_update', { ...told, event, reason: 'NONE' });
      assert.equal((await find('told')).status, status);
    });

  it('of an event that is not known changes nothing, and has all read anew', async () => {
    for (const event of ['SOME_NEW_EVENT', 'toString', 'constructor']) {
      await sync();
      const count = (await updates()).length;
      await tell('message_template_status_update', { ...told, event, reason: 'NONE' });
      assert.equal((await find('told')).status, 'approved');
      assert.equal((await updates()).length, count);
      assert.equal(await isDue(), true);
    }
  });

  it('of a quality and of a category changes them', async () => {
    const quality = { ...told, previous_quality_score: 'GREEN', new_quality_score: 'RED' };
    await tell('message_template_quality_update', quality);
    assert.deepEqual(await last(), ['told', 'en_US', 'approved', 'red', 'utility']);
    await tell('template_category_update', { ...told, previous_category: 'UTILITY', new_category: 'MARKETING' });
    assert.deepEqual(await last(), ['told', 'en_US', 'approved', 'red', 'marketing']);
  });

  it('of components has all read anew', async () => {
    await sync();
    assert.equal(await isDue(), false);
    await tell('message_template_components_update', { ...told, message_template_element: 'New' });
    assert.equal(await isDue(), true);
  });

  it('of a template that is not known changes nothing, and has all read anew', async () => {
    await sync();
    const count = (await updates()).length;
    await tell('message_template_status_update', { ...told, message_template_name: 'new', event: 'APPROVED' });
    assert.equal((await updates()).length, count);
    assert.equal(await isDue(), true);
  });

  it('that the sandbox has signed touches no template of live mode, also in the same business account', async () => {
    const live = { ...line, phoneNumberId: '77', phoneNumber: '+447700900999' };
    await addChannel(gateway, { ...live, accountId: gateway.accountId, mode: 'live' });
    await gateway.database.query(
      `insert into template_sync (account_id, mode, business_account_id, synced_at) values ($1, 'live', $2, now())
       on conflict (account_id, mode, business_account_id) do update set synced_at = now()`,
      [gateway.accountId, line.businessAccountId],
    );
    await gateway.database.query(
      `insert into template (account_id, id, mode, business_account_id, provider_template_id, name, language, status,
         category, parameter_format, components)
       select account_id, gen_random_uuid(), 'live', business_account_id, '9', name, language, 'approved', category,
         parameter_format, components from template where name = 'told' and mode = 'test'`,
    );
    const statusOf = async (mode: string) => {
      const select = "select status from template where name = 'told' and language = 'en_US' and mode = $1";
      return (await gateway.database.query<{ status: string }>(select, [mode]))[0]?.status;
    };
    const paused = { ...told, event: 'PAUSED', reason: 'NONE' };
    await tell('message_template_status_update', paused);
    assert.deepEqual([await statusOf('live'), await statusOf('test')], ['approved', 'paused']);
    assert.equal(await isDue('live'), false);
    await tell('message_template_status_update', { ...told, event: 'DISABLED', reason: 'NONE' }, asProvider(gateway));
    assert.deepEqual([await statusOf('live'), await statusOf('test')], ['disabled', 'paused']);
    await tell('message_template_status_update', { ...told, event: 'REINSTATED', reason: 'NONE' });
    assert.equal(await statusOf('live'), 'disabled');
  });

  it('is followed by the schedule, which reads all anew by itself', async () => {
    await sync();
    await serve([listed('told', { status: 'REJECTED' })]);
    await tell('message_template_components_update', { ...told, message_template_element: 'New' });
    await gateway.database.query('drop trigger hold_schedule on template_sync');
    await until(async () => (await find('told')).status === 'rejected');
    assert.equal(await isDue(), false);
  });
});
