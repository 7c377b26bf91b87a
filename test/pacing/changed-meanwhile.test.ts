import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseId } from '../../src/kernel/ids.ts';
import { readScrape } from '../observe/exposition.ts';
import { asProvider, changeBody, messagesBody, postSigned, statusOf, type TestLine } from '../support/notifications.ts';
import { restingTransaction } from '../support/resting-transaction.ts';
import { until } from '../support/until.ts';
import { listed } from '../templates/listing-server.ts';
import { type LiveWorld, startLiveWorld } from './live-world.ts';

const CONNECTIONS = 2;
const PER_SECOND = 2;
/** A message that has waited so long for a connection is checked again. */
const STALE_MS = 700;
/** A suspended account is stopped everywhere within this time. */
const STOPPED_MS = 2_000;
const THROTTLED = 131_056;
const BODY = [{ type: 'BODY', text: 'Hello' }];

let world: LiveWorld;
before(async () => {
  world = await startLiveWorld({ WAYPOST_PROVIDER_CONNECTIONS: String(CONNECTIONS) });
});
after(() => world.stop());

let numbers = 0;
const phones = (count: number) => Array.from({ length: count }, () => `+4477008${String(++numbers).padStart(5, '0')}`);
/** For changes that a gateway makes after a time of its own: how long something may wait, and how long it believes what it has read. */
const untilPassed = async (ms: number, beganMs = performance.now()) => until(() => performance.now() - beganMs > ms);
/** Each try takes a turn, even if it then finds no connection. */
async function turnsGiven(): Promise<number> {
  const { body } = await world.gateway.app.internalServer.inject('/metrics');
  return readScrape(body).sum('waypost_send_turns_total');
}
const takenOf = (to: string) => world.provider.taken.filter((taken) => taken.to === to);
const platform = (method: string, path: string, body?: unknown) =>
  world.gateway.call(method, `/platform/v1/${path}`, { key: world.gateway.platformKey, body });
const tell = async (body: object) => assert.equal((await postSigned(asProvider(world.gateway), body)).status, 200);

const codesOf = ({ results }: { results: { error?: { code: string } }[] }) => results.map(({ error }) => error?.code);
async function lineFrom(channelId: string): Promise<TestLine> {
  const [line] = await world.gateway.database.query<TestLine>(
    `select phone_number_id as "phoneNumberId", business_account_id as "businessAccountId", phone_number as "phoneNumber"
     from channel where id = $1`,
    [parseId('chn', channelId)],
  );
  assert.ok(line);
  return line;
}

/** Sends to so many people while the provider does not answer. As many messages as there are connections reach it, and the others wait. */
async function sendToClosedGate(from: string, to: readonly string[]) {
  world.provider.taken.length = 0;
  const release = world.provider.hold();
  const answer = world.sendText(from, to);
  await until(() => world.provider.taken.length === CONNECTIONS);
  await untilPassed(STALE_MS);
  return { answer, release };
}

describe('a message that has waited for a connection to the provider', () => {
  it('does not go out from a channel that was removed meanwhile', async () => {
    const from = await world.connect();
    const { answer, release } = await sendToClosedGate(from, phones(5));
    assert.equal((await platform('DELETE', `channels/${from}`)).status, 204);
    release();
    const { json } = await answer;
    assert.deepEqual(codesOf(json), [undefined, undefined, 'not_attempted', 'not_attempted', 'not_attempted']);
    assert.equal(world.provider.taken.length, CONNECTIONS);
  });

  it('does not go out once its account is suspended', async () => {
    const { answer, release } = await sendToClosedGate(await world.connect(), phones(5));
    const account = `accounts/${world.gateway.accountId}`;
    assert.equal((await platform('PATCH', account, { suspended: true })).status, 200);
    await untilPassed(STOPPED_MS);
    release();
    const { json } = await answer;
    assert.equal((await platform('PATCH', account, { suspended: false })).status, 200);
    assert.deepEqual(codesOf(json), [undefined, undefined, 'not_attempted', 'not_attempted', 'not_attempted']);
    assert.equal(world.provider.taken.length, CONNECTIONS);
  });

  it('goes out once its account is resumed, also where the gateway has just read that it was suspended', async () => {
    const from = await world.connect(20);
    const account = `accounts/${world.gateway.accountId}`;
    assert.equal((await platform('PATCH', account, { suspended: true })).status, 200);
    // What was known of the account before is believed for a moment.
    await untilPassed(STOPPED_MS);
    assert.equal((await world.call('GET', '/api/v1/templates')).status, 200);
    assert.equal((await platform('PATCH', account, { suspended: false })).status, 200);
    // At twenty a second most of these have to wait for their turns.
    const { json } = await world.sendText(from, phones(10));
    assert.deepEqual(codesOf(json), Array(10).fill(undefined));
  });

  it('is not tried again once a notification has told that it arrived', async () => {
    const from = await world.connect();
    const [to = ''] = phones(1);
    world.provider.taken.length = 0;
    const gate = Promise.withResolvers<void>();
    world.provider.onMessage = async (taken) => {
      if (taken.to === to) return THROTTLED;
      await gate.promise;
      return undefined;
    };
    const turnsBefore = await turnsGiven();
    const answer = world.sendText(from, [to]);
    await until(() => takenOf(to).length === 1);
    const others = world.sendText(from, phones(CONNECTIONS));
    await until(() => world.provider.taken.length === 1 + CONNECTIONS);
    // The second try has had its turn, and found no connection.
    await until(async () => (await turnsGiven()) >= turnsBefore + 1 + CONNECTIONS + 1);
    await untilPassed(STALE_MS);
    const [{ id } = { id: '' }] = takenOf(to);
    const delivered = statusOf('delivered', { providerId: `wamid.${id}`, messageId: id });
    await tell(messagesBody(await lineFrom(from), { statuses: [delivered] }));
    await until(async () => (await world.call('GET', `/api/v1/messages/${id}`)).json.status === 'delivered');
    gate.resolve();
    assert.equal((await others).json.accepted_count, CONNECTIONS);
    const [entry] = (await answer).json.results;
    assert.deepEqual([entry.status, entry.message_id], ['accepted', `wamid.${id}`]);
    assert.equal(takenOf(to).length, 1, 'it was transmitted once');
  });
});

describe('a template message that waits for its turn', () => {
  const template = { name: 'promo', language: 'en_US' };
  async function sendAndWait() {
    const from = await world.connect(PER_SECOND);
    world.provider.onMessage = () => undefined;
    world.provider.taken.length = 0;
    const to = phones(7);
    const body = { from, to, type: 'template', template };
    const sending = world.call('POST', '/api/v1/messages/send', { body });
    await until(() => world.provider.taken.length > 0);
    const validated = async () => (await world.call('POST', '/api/v1/messages/validate', { body })).json.results;
    return { line: await lineFrom(from), to, sending, validated };
  }
  const listedAs = (status: string) =>
    listed(template.name, { id: '9001', status, category: 'MARKETING', components: BODY });
  before(() => {
    world.provider.templates = [listedAs('APPROVED')];
  });

  it('does not go out to a person who has stopped marketing messages meanwhile', async () => {
    const { line, to, sending, validated } = await sendAndWait();
    const last = to.at(-1) ?? '';
    const word = { wa_id: last.slice(1), category: 'marketing_messages', value: 'stop', detail: 'Stop' };
    const timestamp = Math.floor(Date.now() / 1_000);
    const stop = { metadata: { phone_number_id: line.phoneNumberId }, user_preferences: [{ ...word, timestamp }] };
    await tell(changeBody(line, 'user_preferences', stop));
    await until(async () => (await validated()).at(-1).error?.code === 'recipient_opted_out');
    const { json } = await sending;
    assert.deepEqual([json.accepted_count, json.results.at(-1).error?.code], [6, 'recipient_opted_out']);
    assert.deepEqual(takenOf(last), []);
  });

  it('does not go out once its template is paused', async () => {
    const { line, to, sending } = await sendAndWait();
    // A gateway that reads its templates again is told the same.
    world.provider.templates = [listedAs('PAUSED')];
    const value = { event: 'PAUSED', message_template_id: 9001, message_template_name: template.name };
    await tell(
      changeBody(line, 'message_template_status_update', {
        ...value,
        message_template_language: 'en_US',
        reason: 'NONE',
      }),
    );
    const { json } = await sending;
    assert.equal(json.results.at(-1).error?.code, 'template_paused');
    assert.deepEqual(takenOf(to.at(-1) ?? ''), []);
  });
});

/**
 * Whether a message that waits for its next try has asked, since that time, for changes that are not applied yet. It asks again and again.
 */
async function hasLooked(since: Date | undefined): Promise<boolean> {
  const looks = await world.gateway.database.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and query_start > $1 and query like '%select id::text from notification_pack%'
       and pid <> pg_backend_pid()`,
    [since],
  );
  return looks.length > 0;
}

it('a marketing message is not tried again once a stop is applied that was answered while it paused', async () => {
  const from = await world.connect();
  const line = await lineFrom(from);
  world.provider.templates = [listed('offer', { id: '9003', category: 'MARKETING', components: BODY })];
  world.provider.taken.length = 0;
  const [to = ''] = phones(1);
  const wordOf = (value: string) => ({
    wa_id: to.slice(1),
    category: 'marketing_messages',
    value,
    timestamp: 1_767_225_600,
  });
  const metadata = { phone_number_id: line.phoneNumberId };
  let applying: Promise<unknown> = Promise.resolve();
  world.provider.onMessage = async () => {
    const locked = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    applying = restingTransaction(world.gateway.database, async (tx) => {
      await tx.query('lock table marketing_preference in exclusive mode');
      const [began] = await tx.query<{ at: Date }>('select clock_timestamp() as at');
      locked.resolve();
      await told.promise;
      await until(() => hasLooked(began?.at));
    });
    await locked.promise;
    await tell(changeBody(line, 'user_preferences', { metadata, user_preferences: [wordOf('stop')] }));
    told.resolve();
    return THROTTLED;
  };
  const body = { from, to, type: 'template', template: { name: 'offer', language: 'en_US' } };
  const { json } = await world.call('POST', '/api/v1/messages/send', { body });
  await applying;
  assert.equal(json.failed_count, 1);
  assert.equal(takenOf(to).length, 1);
});

it('a message to a user id that is tried again is judged by its own components, and not by a text that looks like it', async () => {
  const from = await world.connect();
  const components = [{ type: 'BODY', text: 'For {{1}}' }];
  world.provider.templates = [listed('named', { id: '9002', category: 'UTILITY', components })];
  world.provider.taken.length = 0;
  world.provider.onMessage = () => (world.provider.taken.length === 1 ? THROTTLED : undefined);
  const own = { user_id: 'US.1234', components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }] };
  const template = { name: 'named', language: 'en_US' };
  const body = { from, to: ['US.1234', own], type: 'template', template };
  const { json } = await world.call('POST', '/api/v1/messages/send', { body });
  assert.deepEqual(codesOf(json), ['invalid_recipient', undefined]);
  assert.equal(takenOf('US.1234').length, 2);
});
