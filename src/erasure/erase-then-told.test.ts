import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { askToErase, endErasures, SETTLED_MS } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  asSandbox,
  changeBody,
  isProcessed,
  lineOf,
  messagesBody,
  postAndApply,
  postSigned,
  statusOf,
  textFrom,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { LAST_UUID, newId } from '../kernel/ids.ts';
import { findStopped } from '../people/preference-store.ts';
import { eraseRound } from './erase-round.ts';
import { emptyMessages } from './walk-store.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

/** A message, or an event that tells of one. */
interface Told {
  type: string;
  data?: { message: Told };
  [member: string]: unknown;
}

const ownPart = ({ data, ...message }: Told): unknown[] =>
  data === undefined ? [message.from, message.user_id, message[message.type]] : ownPart(data.message);

describe('erasing a person of whom the provider tells more afterwards', () => {
  it('is not undone by what the provider reports of a message afterwards', async () => {
    const body = { to: '+447700900786', type: 'text', text: { body: 'Hello' } };
    const [{ id }] = (await gateway.call('POST', '/api/v1/messages/send', { body })).json.results;
    await askToErase(gateway, { to: '+447700900786' });
    await endErasures(gateway.database);
    const read = statusOf('read', { providerId: 'wamid.late', messageId: id, recipient_user_id: 'GB.LATE' });
    assert.equal(
      (await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), { statuses: [read] }))).status,
      200,
    );
    await until(async () => (await gateway.call('GET', `/api/v1/messages/${id}`)).json.status === 'read');
    const { to, user_id: userId, message_id: messageId } = (await gateway.call('GET', `/api/v1/messages/${id}`)).json;
    assert.deepEqual([to, userId, messageId], [null, null, null]);
  });

  it('leaves what the person writes afterwards, and empties what came afterwards and was written before', async () => {
    const [from, userId] = ['+447700900784', 'GB.ANEW'];
    const line = await lineOf(gateway);
    const say = (id: string, seconds: number, more = {}) => {
      const message = { from_user_id: userId, timestamp: String(seconds), text: { body: id }, ...more };
      return postAndApply(gateway, messagesBody(line, { messages: [textFrom(from, id, message)] }));
    };
    const nowSeconds = () => Math.floor(Date.now() / 1_000);
    const beforeSeconds = nowSeconds();
    await say('wamid.before', beforeSeconds);
    await askToErase(gateway, { to: from });
    const askedSeconds = nowSeconds();
    await until(() => nowSeconds() > askedSeconds);
    await say('wamid.held-up', beforeSeconds);
    await say('wamid.anew', nowSeconds());
    await say('wamid.moved', nowSeconds(), reactionTo('wamid.anew'));
    await endErasures(gateway.database);
    const own = async (path: string) => {
      const { data }: { data: Told[] } = (await gateway.call('GET', `/api/v1/${path}`)).json;
      return data.map(ownPart);
    };
    const stays = [
      [from, userId, { body: 'wamid.anew' }],
      [from, userId, { message_id: 'wamid.anew', emoji: '👍' }],
    ];
    const goes = [null, null, null];
    const ofPerson = `messages?person=${encodeURIComponent(from)}`;
    assert.deepEqual(await own('messages?direction=inbound&limit=4'), [...stays.toReversed(), goes, goes]);
    assert.deepEqual(await own(ofPerson), stays.toReversed());
    const told = await own('events?type=message.received&limit=100');
    assert.deepEqual(told.slice(-4), [goes, goes, ...stays]);
    await askToErase(gateway, { to: from });
    await endErasures(gateway.database);
    assert.deepEqual(await own(ofPerson), [], 'asked for again, they go too');
    assert.ok(!JSON.stringify(await own('events?type=message.received&limit=100')).includes(from));
  });

  it('is not undone by a message that the provider repeats in the moment in which it is emptied', async () => {
    const { accountId, database } = gateway;
    const line = await lineOf(gateway);
    const from = '+447700900787';
    const body = messagesBody(line, { messages: [textFrom(from, 'wamid.repeated-now')] });
    await postAndApply(gateway, body);
    let repeated: Promise<void> | undefined;
    let isApplied = false;
    await database.transaction(async (tx) => {
      await emptyMessages(tx, {
        accountId,
        place: LAST_UUID,
        limit: 1_000,
        asked: [from],
        persons: [from],
        askedAt: [new Date()],
      });
      repeated = postAndApply(gateway, body).then(() => {
        isApplied = true;
      });
      await until(async () => isApplied || (await countWaitingForLocks(database)) === 1);
    });
    await repeated;
    const told = `select 1 from event where account_id = $1 and data->'message'->>'from' = $2`;
    assert.equal((await database.query(told, [accountId, from])).length, 1, 'it is not told again');
    assert.deepEqual(await database.query('select 1 from message where phone = $1', [from]), []);
  });

  it('forgets a number too that a report joins to the user id when the names have been looked for', async () => {
    const { accountId, database } = gateway;
    const body = { to: '+15552000001', type: 'text', text: { body: 'Hello' } };
    const [{ id }] = (await gateway.call('POST', '/api/v1/messages/send', { body })).json.results;
    const told = statusOf('played', { providerId: 'wamid.joined', messageId: id, recipient_user_id: 'GB.JOINED' });
    assert.equal(
      (await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), { statuses: [told] }))).status,
      200,
    );
    await until(async () => (await gateway.call('GET', `/api/v1/messages/${id}`)).json.user_id === 'GB.JOINED');
    const looked = `insert into erasure (account_id, id, persons, mark, due_at, down_step) values ($1, $2, $3, 'm', now(), 1)`;
    await database.query(looked, [accountId, newId(), ['GB.JOINED']]);
    await endErasures(database);
    const events = `select data->'message'->>'to' as "to" from event where account_id = $1 and data->'message'->>'id' = $2`;
    assert.deepEqual(await database.query(events, [accountId, id]), [{ to: null }]);
  });

  it('leaves a message failed that the provider has reported as failed, whatever it reports afterwards', async () => {
    const line = await lineOf(gateway);
    const unknown = '+15552000001';
    const body = { to: unknown, type: 'text', text: { body: 'Hello' } };
    const [{ id, status }] = (await gateway.call('POST', '/api/v1/messages/send', { body })).json.results;
    assert.equal(status, 'unknown');
    const report = async (what: string) => {
      const statuses = [statusOf(what, { providerId: 'wamid.failed', messageId: id })];
      assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { statuses }))).status, 200);
      await until(() => isProcessed(gateway));
    };
    await report('failed');
    await askToErase(gateway, { to: unknown });
    await endErasures(gateway.database);
    await report('sent');
    const message = (await gateway.call('GET', `/api/v1/messages/${id}`)).json;
    assert.equal(message.status, 'failed');
    assert.deepEqual(
      message.timeline.map((entry: { status: string; note: string | null }) => [entry.status, entry.note]),
      [
        ['unknown', null],
        ['failed', null],
        ['sent', 'late'],
      ],
    );
    const { data: events } = (await gateway.call('GET', '/api/v1/events?type=message.sent')).json;
    const told = events.filter((event: { data: { message: { id: string } } }) => event.data.message.id === id);
    assert.deepEqual(told, []);
  });

  it('forgets all whom a user id leads to that is told between the walks', async () => {
    const { accountId, database } = gateway;
    const to = '+447700900788';
    await database.query(
      `insert into parent_user_id (account_id, mode, parent_user_id, user_id, told_at)
       select $1, 'test', 'GB.ENT.BETWEEN', user_id, now() - interval '1 hour' from unnest($2::text[]) as user_id`,
      [accountId, ['GB.BETWEEN1', 'GB.BETWEEN2']],
    );
    await askToErase(gateway, { to });
    await until(async () => {
      await eraseRound(database, SETTLED_MS);
      return (await database.query('select 1 from erasure where due_at > now()')).length > 0;
    });
    const body = { to, type: 'text', text: { body: 'Hello' } };
    const [{ id, message_id: providerId }] = (await gateway.call('POST', '/api/v1/messages/send', { body })).json
      .results;
    const read = statusOf('read', { providerId, messageId: id, recipient_user_id: 'GB.BETWEEN1' });
    await postAndApply(gateway, messagesBody(await lineOf(gateway), { statuses: [read] }));
    await endErasures(database);
    assert.deepEqual(
      await database.query("select user_id from parent_user_id where parent_user_id = 'GB.ENT.BETWEEN'"),
      [],
    );
  });

  it('keeps to a later stop also by the parent user id that it names', async () => {
    const line = await lineOf(gateway);
    const owner = { accountId: gateway.accountId, mode: 'test', businessAccountId: line.businessAccountId } as const;
    const hasStopped = async (person: string) => (await findStopped(gateway.database, owner, [person])).has(person);
    const stop = async (name: string, timestamp: number) => {
      const person = { user_id: `GB.${name}`, parent_user_id: `GB.ENT.${name}` };
      const body = changeBody(line, 'user_preferences', {
        metadata: { phone_number_id: line.phoneNumberId },
        user_preferences: [{ ...person, category: 'marketing_messages', value: 'stop', timestamp }],
      });
      assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
      await until(() => isProcessed(gateway));
    };
    const [known, fresh, over] = ['KNOWN', 'FRESH', 'OVER'];
    for (const name of [known, over]) await stop(name, 1_767_225_600);
    for (const name of [known, fresh, over])
      assert.equal((await askToErase(gateway, { user_id: `GB.${name}` })).status, 202);
    // The provider tells whole seconds: what is said within that of the request counts as said before it.
    const laterSeconds = Math.floor(Date.now() / 1_000) + 1;
    await until(() => Date.now() >= laterSeconds * 1_000);
    for (const name of [known, fresh]) await stop(name, laterSeconds);
    await endErasures(gateway.database);
    for (const name of [known, fresh]) assert.equal(await hasStopped(`GB.ENT.${name}`), true, name);
    assert.equal(await hasStopped(`GB.ENT.${over}`), false);
    assert.deepEqual(await gateway.database.query("select 1 from parent_user_id where user_id = 'GB.OVER'"), []);
  });
});

const ADA = '+447700900761';
const ADAS_USER_ID = 'GB.ADA1815';
const BYRONS_USER_ID = 'GB.BYRON1788';
const GRACE = '+447700900762';

const group = { group_id: 'engines' };
const from = (phone: string, id: string, content: { type: string }) => ({
  ...textFrom(phone, id),
  ...group,
  ...content,
});
const answering = (id: string) => ({ context: { from: ADA.slice(1), id } });
const reactionTo = (id: string) => ({ type: 'reaction', reaction: { message_id: id, emoji: '👍' } });
const changeTo = (news: object) => ({ type: 'system', system: { type: 'user_changed_number', ...news } });

/** A message of each, and what Grace and others say of them in the group. The provider's ids of Ada's begin with `wamid.ada`. */
async function talk(accountId: string): Promise<void> {
  const line = await lineOf(gateway, accountId);
  const say = (...messages: object[]) => postAndApply(gateway, messagesBody(line, { messages }));
  await say(
    textFrom(ADA, 'wamid.ada-1', { ...group, from_user_id: ADAS_USER_ID }),
    textFrom(GRACE, 'wamid.grace-1', group),
  );
  await say(
    textFrom(GRACE, 'wamid.grace-2', { ...group, ...answering('wamid.ada-1'), text: { body: 'A moth' } }),
    textFrom(GRACE, 'wamid.grace-3', { ...group, ...answering('wamid.grace-1') }),
    from(GRACE, 'wamid.grace-4', reactionTo('wamid.ada-1')),
    from(GRACE, 'wamid.grace-5', reactionTo('wamid.grace-1')),
    from(GRACE, 'wamid.grace-6', { type: 'revoke', ...{ revoke: { original_message_id: 'wamid.ada-1' } } }),
    from(GRACE, 'wamid.grace-7', {
      type: 'edit',
      ...{ edit: { original_message_id: 'wamid.ada-1', message: { type: 'text' } } },
    }),
    from('+447700900763', 'wamid.s1', changeTo({ body: `Ada changed to ${ADA.slice(1)}`, wa_id: ADA.slice(1) })),
    from('+447700900764', 'wamid.s2', {
      ...changeTo({ body: 'Ada has another id', user_id: ADAS_USER_ID }),
      ...answering('wamid.ada-1'),
    }),
    from('+447700900765', 'wamid.s3', changeTo({ body: `Jean had 1${ADA.slice(1)}`, wa_id: `${ADA.slice(1)}0` })),
    from('+447700900766', 'wamid.s4', changeTo({ body: `${ADA.slice(1)}已更改号码` })),
    from('+447700900767', 'wamid.s5', changeTo({ body: `Раньше\n${ADA.slice(1)}` })),
    from('+447700900768', 'wamid.s6', changeTo({ body: `之前:\n${ADAS_USER_ID}，不变` })),
  );
}

/** What is stored of Grace's and of others' messages, by the provider's id: the rows, or what events repeat. */
async function told(accountId: string, where: 'message' | 'event') {
  const rows = await gateway.database.query<{ id: string; answered: string | null; content: unknown }>(
    where === 'message'
      ? `select provider_message_id as id, reply_to_provider_message_id as answered, content from message
         where account_id = $1 and provider_message_id is not null order by 1`
      : `select m->>'message_id' as id, m->'reply_to'->>'message_id' as answered, m->(m->>'type') as content
         from (select data->'message' as m from event where account_id = $1) as e
         where m->>'message_id' is not null order by 1`,
    [accountId],
  );
  return Object.fromEntries(rows.map(({ id, answered, content }) => [id, [answered, content]]));
}

describe('erasing a person of whom others have told', () => {
  it('empties the ids of their messages and the news of their number, and leaves what others said', async () => {
    const accountId = await gateway.createAccount('Told of');
    await talk(accountId);
    const before = await told(accountId, 'message');
    assert.deepEqual(await told(accountId, 'event'), before);
    const [echoed] = await gateway.database.query<{ id: string }>(
      `select id from event where data->'message'->>'message_id' = 'wamid.grace-2'`,
    );
    await gateway.database.query(
      `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
       values ($1, $2, $3, $4, 'message.received', 1, now(), 'succeeded', 200, 1, 'An answer to wamid.ada-1')`,
      [accountId, newId(), newId(), echoed?.id],
    );
    assert.equal((await askToErase(gateway, { to: ADA }, accountId)).status, 202);
    await endErasures(gateway.database);
    const { 'wamid.ada-1': _, ...others } = before;
    const expected = {
      ...others,
      'wamid.grace-2': [null, { body: 'A moth', ...group }],
      'wamid.grace-4': [null, { emoji: '👍', ...group }],
      'wamid.grace-6': [null, group],
      'wamid.grace-7': [null, { message: { type: 'text' }, ...group }],
      'wamid.s1': [null, null],
      'wamid.s2': [null, null],
      'wamid.s4': [null, null],
      'wamid.s5': [null, null],
      'wamid.s6': [null, null],
    };
    assert.deepEqual(await told(accountId, 'message'), expected);
    assert.deepEqual(await told(accountId, 'event'), expected);
    assert.deepEqual(await gateway.database.query('select answer from attempt where account_id = $1', [accountId]), [
      { answer: null },
    ]);
    const key = await gateway.createKey({ accountId });
    const list = (await gateway.call('GET', '/api/v1/messages?limit=100', { key })).json.data;
    const reply = list.find((message: { text?: { body: string } }) => message.text?.body === 'A moth');
    assert.match(reply.reply_to.id, /^msg_/);
    assert.equal(reply.reply_to.message_id, null);
    const events = (await gateway.call('GET', '/api/v1/events?limit=100', { key })).json.data;
    const event = events.find(({ data }: { data: { message?: { id: string } } }) => data.message?.id === reply.id);
    assert.deepEqual(event.data.message.reply_to, reply.reply_to, 'its event tells the same');
  });

  it('does so also where the person has no number that is known', async () => {
    const accountId = await gateway.createAccount('Told of by id');
    const line = await lineOf(gateway, accountId);
    const byron = { from: undefined, from_user_id: BYRONS_USER_ID };
    for (const message of [
      textFrom('', 'wamid.byron-1', { ...group, ...byron }),
      textFrom(GRACE, 'wamid.grace-8', { ...group, context: { id: 'wamid.byron-1' }, text: { body: 'A poem' } }),
    ])
      await postAndApply(gateway, messagesBody(line, { messages: [message] }));
    const { 'wamid.grace-8': answer } = await told(accountId, 'message');
    assert.equal(answer?.[0], 'wamid.byron-1');
    assert.equal((await askToErase(gateway, { user_id: BYRONS_USER_ID }, accountId)).status, 202);
    await endErasures(gateway.database);
    const expected = { 'wamid.grace-8': [null, { body: 'A poem', ...group }] };
    assert.deepEqual(await told(accountId, 'message'), expected);
    assert.deepEqual(await told(accountId, 'event'), expected);
  });
});
