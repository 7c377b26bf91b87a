import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { agedId, ageEverything } from '../../test/support/age.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  asSandbox,
  isProcessed,
  lineOf,
  listNotifications,
  messagesBody,
  postSigned,
  sendOne,
  statusOf,
  textFrom,
} from '../../test/support/notifications.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { whileTheyTakeTooLong } from '../../test/support/take-too-long.ts';
import { until } from '../../test/support/until.ts';
import { makePartitions } from '../jobs/store.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { formatId, newId, parseId } from '../kernel/ids.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { keepRound } from './keep-round.ts';

const DAYS = { messages: 90, content: 30, events: 30, notifications: 7, setAside: 30 };
const ADA = '+447700900881';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ settings: { WAYPOST_LOCAL_ENDPOINTS: 'on' } });
});
after(() => gateway.stop());
beforeEach(async () => {
  for (const table of [
    'message',
    'request',
    'timeline',
    'event',
    'attempt',
    'delivery',
    'notification',
    'customer_window',
  ])
    await gateway.database.query(`delete from ${table}`);
  // Each of them fills weeks anew that one before it has walked through.
  await gateway.database.query('update keeping set place = null, block = 0');
});

/** All of it, as an hour later, and as the clock says. What is put off, because somebody else had a lock, is done again. */
async function keep(clock: Clock = systemClock, dueIn = '0 days'): Promise<void> {
  await until(async () => {
    const said: string[] = [];
    const log = pino({}, { write: (line) => void said.push(line) });
    await gateway.database.query('update keeping set due_at = now() + $1::interval', [dueIn]);
    await keepRound({ database: gateway.database, days: DAYS, clock, log });
    return !said.some((line) => line.includes('keeping.put_off'));
  });
}

const count = async (table: string, where = 'true') =>
  (await gateway.database.query<{ rows: number }>(`select count(*) as rows from ${table} where ${where}`))[0]?.rows;

const weeksOf = async (parent: string) =>
  (
    await gateway.database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = to_regclass($1) order by 1`,
      [parent],
    )
  ).map(({ name }) => name);

/** A sent text with a report of its delivery, and a text from a person: by what they are called after being aged. */
async function fill(days: number): Promise<{ sent: string; received: string; request: string }> {
  const { id, message_id: providerId } = await sendOne(gateway, ADA);
  const line = await lineOf(gateway);
  const statuses = [statusOf('delivered', { providerId, messageId: id })];
  const messages = [textFrom(ADA, `wamid.${newId()}`, { text: { body: 'An engine weaves' } })];
  for (const value of [{ statuses }, { messages }])
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, value))).status, 200);
  await until(() => isProcessed(gateway));
  const [received] = await gateway.database.query<{ id: string }>(
    `select id from message where direction = 'inbound' order by id desc`,
  );
  const [request] = await gateway.database.query<{ id: string }>('select id from request order by id desc');
  await ageEverything(gateway.database, days);
  const aged = (uuid: string | undefined) => agedId(gateway.database, uuid ?? '', days);
  return {
    sent: formatId('msg', await aged(parseId('msg', id))),
    received: formatId('msg', await aged(received?.id)),
    request: formatId('req', await aged(request?.id)),
  };
}

const read = (id: string) => gateway.call('GET', `/api/v1/messages/${id}`);

describe('keeping', () => {
  it('begins no further batch once the process stops', async () => {
    await gateway.database.query('update keeping set due_at = now()');
    const log = pino({ level: 'silent' });
    const round = { database: gateway.database, days: DAYS, clock: systemClock, log };
    await keepRound({ ...round, closing: AbortSignal.abort() });
    const tasks = await count('keeping');
    assert.equal(await count('keeping', 'due_at <= now()'), tasks);
    await keepRound({ ...round, closing: new AbortController().signal });
    assert.equal(await count('keeping', 'due_at <= now()'), 0);
  });

  it('rests for an hour where nothing is left to do, and for a day before it reads all windows again', async () => {
    await keep();
    const restOf = (hours: number) =>
      count('keeping', `due_at - now() between interval '${hours} hours' - interval '5 minutes' and '${hours} hours'`);
    assert.deepEqual([await restOf(1), await restOf(24)], [7, 1]);
  });

  it('shows content for 30 days and messages for 90, to the moment', async () => {
    const { sent, received } = await fill(29);
    for (const id of [sent, received]) assert.equal((await read(id)).json.content_expired, undefined);
    assert.deepEqual((await read(sent)).json.text, { body: 'Your parcel is here', preview_url: false });
    const older = await fill(31);
    for (const id of [older.sent, older.received]) {
      const { text, content_expired: expired, timeline } = (await read(id)).json;
      assert.deepEqual([text, expired], [null, true]);
      assert.ok(timeline.length > 0);
    }
    await fill(91);
    assertProblem(await read(sent), 'not_found');
    const gone = await fill(0);
    await ageEverything(gateway.database, 91);
    assertProblem(await read(gone.sent), 'not_found');
    assertProblem(await gateway.call('GET', `/api/v1/requests/${gone.request}`), 'not_found');
    assert.deepEqual((await gateway.call('GET', `/api/v1/messages?since=2020-01-01T00:00:00Z`)).json.data, []);
  });

  it('empties the content of whole weeks, and no other', async () => {
    await fill(40);
    await keep();
    assert.equal(await count('message', 'content is not null'), 0);
    assert.equal(await count('request', 'content is not null'), 0);
    assert.equal(await count('message'), 2);
    const { sent } = await fill(0);
    await keep();
    assert.deepEqual((await read(sent)).json.text, { body: 'Your parcel is here', preview_url: false });
  });

  it('empties content also where it came into a block that had been walked through already', async () => {
    await fill(40);
    await gateway.database.query(
      `update keeping set place = (select min(tableoid::regclass::text) from message), block = 500
       where task = 'message contents'`,
    );
    await keep();
    assert.equal(await count('message', 'content is not null'), 0);
  });

  it('takes what is wrong with the parameters of a template away with them', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'Lovelace', text: 'Ada' }] }];
    const template = { name: 'greeting_named', language: 'en_US' };
    const told = `error::text like '%Lovelace%' and outcome_error::text like '%Lovelace%'`;
    const fail = async (send: object) => {
      await gateway.call('POST', '/api/v1/messages/send', { body: { ...send, type: 'template' } });
      assert.equal(await count('message', told), 1);
    };
    await fail({ to: [{ to: ADA, components }], template });
    await ageEverything(gateway.database, 40);
    await keep();
    const [request] = await gateway.database.query<{ id: string }>('select id from request');
    const [{ error }] = (await gateway.call('GET', `/api/v1/requests/${formatId('req', request?.id ?? '')}`)).json
      .results;
    assert.deepEqual([error.code, error.errors], ['template_parameters_invalid', undefined]);
    assert.equal(await count('message', `to_jsonb(message)::text like '%Lovelace%'`), 0);
    // Where the parameters are the request's own, and in no week.
    await fail({ to: ADA, template: { ...template, components } });
    await gateway.database.query(`update message set id = aged(id, 70) where ${told}`);
    assert.equal(await count('message_default', told), 1);
    await keep();
    assert.equal(await count('message_default'), 1);
    assert.equal(await count('message', `to_jsonb(message)::text like '%Lovelace%'`), 0);
  });

  it('drops weeks of messages, requests and timelines, and goes on in the weeks that are kept', async () => {
    await fill(100);
    const week = (await weeksOf('message'))[0] ?? '';
    await fill(0);
    await keep();
    for (const parent of ['message', 'request', 'timeline'])
      assert.ok(!(await weeksOf(parent)).includes(week.replace('message', parent)), parent);
    assert.deepEqual([await count('message'), await count('request'), await count('timeline')], [2, 1, 1]);
  });

  it('never drops what still runs, nor what is younger', async () => {
    await fill(100);
    await gateway.database.query(`update request set completed_at = null, intent = '[]', node_id = $1`, [newId()]);
    await gateway.database.query(
      `insert into node (id, host, pid, lease_until) select node_id, 'elsewhere', 1, now() + interval '4 minutes' from request`,
    );
    // On some days of the week there is one before it, which is empty and goes.
    const [oldest] = await gateway.database.query<{ week: string }>(
      'select tableoid::regclass::text as week from message order by id limit 1',
    );
    const laterWeeks = async () => (await weeksOf('message')).filter((name) => name >= (oldest?.week ?? ''));
    const weeks = await laterWeeks();
    assert.ok(weeks.length > 1);
    await keep();
    assert.deepEqual(await laterWeeks(), weeks);
    assert.equal(await count('request', 'content is not null'), 1, 'its end needs it');
    await gateway.database.query(`update request set completed_at = now(), intent = null`);
    await keep();
    assert.equal(await count('request'), 0);
  });

  it('hides expired events without a gap, goes on numbering, and drops their weeks', async () => {
    const events = async () => (await gateway.call('GET', '/api/v1/events?limit=100')).json;
    const { latest_sequence: before } = await events();
    await fill(100);
    await fill(0);
    await ageEverything(gateway.database, 29);
    // Ids are made before the numbers are given, so the first of two may fall into the later week.
    const sorted = await gateway.database.query<{ id: string; at: Date }>('select id, at from event order by sequence');
    assert.equal(sorted.length, 4);
    await keep();
    assert.deepEqual(
      (await events()).data.map(({ sequence }: { sequence: number }) => sequence),
      [before + 3, before + 4],
    );
    assert.equal((await events()).oldest_sequence, before + 3);
    assert.equal(await count('event'), 2);
    await ageEverything(gateway.database, 2);
    await keep();
    const { data, oldest_sequence: oldest, latest_sequence: latest } = await events();
    assert.deepEqual([data, oldest, latest], [[], before + 5, before + 4]);
    await fill(0);
    assert.equal((await events()).oldest_sequence, before + 5);
  });

  it('leaves no gap where the first of two events has the younger id', async () => {
    await fill(0);
    await ageEverything(gateway.database, 60);
    const [first] = await gateway.database.query<{ id: string; sequence: number }>(
      'select id, sequence from event order by sequence',
    );
    await gateway.database.query('update event set id = $2 where id = $1', [first?.id, newId()]);
    await keep();
    const page = (await gateway.call('GET', '/api/v1/events')).json;
    assert.deepEqual([page.data, page.oldest_sequence], [[], page.latest_sequence + 1]);
    assert.deepEqual(await count('event', 'sequence > 0'), 1, 'the younger week is still there, and not shown');
  });

  it('gives up deliveries whose events have expired', async () => {
    const endpointId = newId();
    await gateway.database.query(
      `insert into endpoint (account_id, id, mode, url, secret_sealed, enabled) values ($1, $2, 'test', 'https://example.com', '', false)`,
      [gateway.accountId, endpointId],
    );
    await fill(0);
    await gateway.database.query(
      `insert into delivery (account_id, endpoint_id, event_id) select account_id, $1, id from event`,
      [endpointId],
    );
    await ageEverything(gateway.database, 31);
    await fill(0);
    await gateway.database.query(
      `insert into delivery (account_id, endpoint_id, event_id) select account_id, $1, id from event on conflict do nothing`,
      [endpointId],
    );
    assert.equal(await count('delivery'), 4);
    await keep();
    assert.equal(await count('delivery'), 2);
  });

  it('drops a week of notifications that were applied, and keeps those set aside in it', async () => {
    await postSigned(
      asSandbox(gateway),
      messagesBody({ ...(await lineOf(gateway)), phoneNumberId: '999' }, { messages: [textFrom(ADA, 'wamid.lost')] }),
    );
    await fill(16);
    assert.deepEqual(
      (await listNotifications(gateway)).map(({ state }) => state),
      ['set_aside'],
    );
    await keep();
    assert.deepEqual(await gateway.database.query('select state from notification'), [{ state: 'set_aside' }]);
    const [kept] = await listNotifications(gateway);
    const again = await gateway.call('POST', `/platform/v1/notifications/${kept?.id}/reprocess`, {
      key: gateway.platformKey,
      body: {},
    });
    assert.equal(again.status, 202, again.text);
    await until(async () => (await listNotifications(gateway, '&state=set_aside'))[0]?.attempts === 2);
    await ageEverything(gateway.database, 15);
    assert.deepEqual(await listNotifications(gateway), []);
    assertProblem(
      await gateway.call(
        'POST',
        `/platform/v1/notifications/${formatId('ntf', await agedId(gateway.database, parseId('ntf', kept?.id ?? '') ?? '', 15))}/reprocess`,
        { key: gateway.platformKey, body: {} },
      ),
      'not_found',
    );
    await keep();
    assert.equal(await count('notification'), 0);
  });

  it('keeps a notification that was applied late for its whole time', async () => {
    await fill(20);
    await gateway.database.query(
      `update notification set attempts = 9, applied_at = now() where id = (select min(id::text)::uuid from notification)`,
    );
    await keep();
    assert.equal(await count('notification'), 1);
    await ageEverything(gateway.database, 8);
    await keep();
    assert.equal(await count('notification'), 0);
  });

  it('forgets when people wrote who have not written for 90 days', async () => {
    await fill(0);
    await gateway.database.query('update customer_window set last_at = now()');
    await ageEverything(gateway.database, 80);
    await keep();
    assert.equal(await count('customer_window'), 1);
    await ageEverything(gateway.database, 11);
    await keep();
    assert.equal(await count('customer_window'), 0);
  });

  it('takes nothing away because one gateway’s clock is ahead', async () => {
    await fill(5);
    await gateway.database.query('update customer_window set last_at = now()');
    const tables = ['message', 'request', 'timeline', 'event', 'notification', 'customer_window'];
    const kept = async () =>
      Promise.all([...tables.map((table) => count(table)), count('message', 'content is not null')]);
    const before = await kept();
    await keep({ nowMs: () => Date.now() + 400 * 86_400_000 });
    assert.deepEqual(await kept(), before);
  });

  it('deletes what no week covers', async () => {
    await fill(0);
    await gateway.database.query('update message set id = aged(id, 4000)');
    assert.equal(await count('message_default'), 2);
    await keep();
    assert.equal(await count('message_default'), 0);
  });

  it('does not rest because of what the database’s clock said before it was set back', async () => {
    await fill(0);
    await gateway.database.query('update message set id = aged(id, 4000)');
    await keep(systemClock, '2 days');
    assert.equal(await count('message_default'), 0);
  });

  it('takes what no week covered into its week when that is made', async () => {
    await fill(0);
    const future = async (sql: string) =>
      (await gateway.database.query<{ n: number }>(`${sql} from (select now() + interval '300 days' as at) as t`))[0]
        ?.n;
    await gateway.database.query('update message set id = aged(id, -300)');
    assert.equal(await count('message_default'), 2);
    await future(`select partitions_make('message', at, at) as n`);
    assert.deepEqual([await count('message_default'), await count('message')], [0, 2]);
    assert.equal(await future(`select partitions_make('message', at, at) as n`), 0);
  });

  it('leaves no week with statistics of the usual size once weeks are looked after', async () => {
    const { database } = gateway;
    await database.query("select partitions_make('message', now(), now() + interval '30 days')");
    const large = `select count(*) as n from pg_inherits i join pg_attribute a on a.attrelid = i.inhrelid
      where i.inhparent = 'message'::regclass and a.attnum > 0 and a.attstattarget is distinct from 10`;
    const countLarge = async () => (await database.query<{ n: number }>(large))[0]?.n ?? 0;
    assert.ok((await countLarge()) > 0);
    await makePartitions(database, 'message');
    assert.equal(await countLarge(), 0);
  });

  it('goes on with the other tasks where the database does not carry one out in time, and says so at the end', async () => {
    const { database } = gateway;
    await fill(40);
    await database.query('update keeping set due_at = now()');
    const round = { database, days: DAYS, clock: systemClock, log: pino({ level: 'silent' }) };
    await whileTheyTakeTooLong(database, ['update on request for each row'], () =>
      assert.rejects(keepRound(round), StoreUnavailable),
    );
    assert.ok(((await count('request', 'content is not null')) ?? 0) > 0);
    assert.equal(await count('message', 'content is not null'), 0);
  });

  it('is done by one node at a time, and what two ask for is done once', async () => {
    await fill(100);
    const both = async () => {
      await Promise.all([keep(), keep(), keep()]);
    };
    await both();
    assert.equal(await count('message'), 0);
    assert.equal(await count('keeping', 'due_at > now()'), 8);
  });
});
