import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FIRST_LINE, type LiveWorld, startLiveWorld } from '../../test/pacing/live-world.ts';
import { endErasures, erase, letErasuresSettle, SETTLED_MS } from '../../test/support/erasures.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import {
  asProvider,
  asSandbox,
  isProcessed,
  lineOf,
  messagesBody,
  postSigned,
  statusOf,
  textFrom,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { newId } from '../kernel/ids.ts';
import type { Transaction } from '../store/database.ts';
import { eraseSome } from './erase-person.ts';
import { eraseRound } from './erase-round.ts';

const ADA = '+447700900771';
const GRACE = '+447700900772';
const HOPPER = '+447700900773';
/** The first of the second walk. */
const SETTLED_STEP = 7;

let world: LiveWorld;
let gateway: TestGateway;
before(async () => {
  world = await startLiveWorld();
  ({ gateway } = world);
  await world.connect();
});
after(() => world.stop());

/** A send that is not answered before the test says so. */
async function beginSend(call: { body: { to: string }; headers?: Record<string, string> }) {
  const answer = world.provider.hold();
  const sending = world.call('POST', '/api/v1/messages/send', call);
  const taken = await until(() => world.provider.taken.find(({ to }) => to === call.body.to.split(',')[0]));
  const end = () => {
    answer();
    return sending;
  };
  return { id: taken.id, end };
}

/** Has the gateway apply what the provider tells of the messages of the channel that sends. */
async function tell(statuses: object[]): Promise<void> {
  assert.equal((await postSigned(asProvider(gateway), messagesBody(FIRST_LINE, { statuses }))).status, 200);
  await until(() => isProcessed(gateway));
}

const erasures = () => gateway.database.query<{ down_step: number }>('select down_step from erasure');

const firstWalk = () =>
  until(async () => {
    await eraseRound(gateway.database, SETTLED_MS);
    return (await erasures())[0]?.down_step === SETTLED_STEP;
  });

const letSettle = () => letErasuresSettle(gateway.database);

async function eventOf(person: string): Promise<string> {
  const [event] = await gateway.database.query<{ id: string }>(
    `select id from event where account_id = $1 and data->'message'->>'from' = $2`,
    [gateway.accountId, person],
  );
  assert.ok(event, `the text from ${person} was recorded`);
  return event.id;
}

async function insertAnswer(eventId: string, type: string, answer: string): Promise<void> {
  await gateway.database.query(
    `insert into attempt (account_id, id, endpoint_id, event_id, type, number, at, outcome, http_status, duration_ms, answer)
     values ($1, $2, $3, $4, $5, 1, now(), 'succeeded', 200, 15000, $6)`,
    [gateway.accountId, newId(), newId(), eventId, type, answer],
  );
}

describe('erasing a person of whom something is under way', () => {
  it('waits for a send that was reported already, not for a later one, and empties what it has written and its request', async () => {
    const headers = { 'idempotency-key': 'for-the-countess' };
    const body = { to: ADA, type: 'text', text: { body: 'Dear Countess' }, client_reference: 'countess-1' };
    const { id, end } = await beginSend({ headers, body: { ...body, to: `${ADA},${ADA.slice(1)}` } });
    await tell([statusOf('delivered', { providerId: 'wamid.ada', messageId: id })]);
    const running = () =>
      gateway.database.query('select content, client_reference, idempotency_key, refused from request');
    const before = await running();
    await erase(gateway, ADA);
    await firstWalk();
    assert.deepEqual(
      await running(),
      before,
      'whoever ends the send, also after a crash, needs what its request holds',
    );
    await letSettle();
    await eraseRound(gateway.database, SETTLED_MS);
    assert.equal((await erasures())[0]?.down_step, SETTLED_STEP, 'it does not begin before the send has ended');
    const later = await beginSend({ body: { ...body, to: GRACE } });
    assert.equal((await end()).status, 200);
    await until(async () => {
      await eraseRound(gateway.database, SETTLED_MS);
      return (await erasures()).length === 0;
    });
    const rows = [
      ...(await gateway.database.query(
        'select content, client_reference, idempotency_key, refused from request where completed_at is not null',
      )),
      ...(await gateway.database.query('select phone, content, client_reference, provider_message_id from message')),
    ];
    assert.equal(rows.length, 2);
    const values = rows.flatMap((row) => Object.values(row ?? {})).filter((value) => value !== null);
    assert.deepEqual(
      values.map((refused) => Object(refused).map(({ to }: { to: string }) => to)),
      [['']],
    );
    assert.equal((await later.end()).status, 200);
  });

  it('empties what is told of a message between the walk through the events and its own emptying', async () => {
    const { accountId, database } = gateway;
    const body = { to: HOPPER, type: 'text', text: { body: 'Dear Admiral' } };
    const { end } = await beginSend({ body });
    await erase(gateway, HOPPER);
    await firstWalk();
    const [{ id: messageId, message_id: providerId }] = (await end()).json.results;
    await letSettle();
    const told = () =>
      database.query<{ id: string; name: string | null }>(
        `select id, data->'message'->>'to' as name from event where account_id = $1 and data->'message'->>'id' = $2`,
        [accountId, messageId],
      );
    await database.transaction(async (tx) => {
      const within = { ...database, transaction: <T>(work: (tx: Transaction) => Promise<T>) => work(tx) };
      const walkTo = (step: number) =>
        until(async () => {
          await eraseSome(within, SETTLED_MS);
          return (await tx.query('select 1 from erasure where down_step < $1::float8', [step])).length === 0;
        });
      await walkTo(SETTLED_STEP + 3);
      await tell([statusOf('read', { providerId, messageId })]);
      const [event] = await told();
      assert.equal(event?.name, HOPPER);
      await insertAnswer(event?.id ?? '', 'message.read', 'Thanks, Admiral');
      await walkTo(Number.POSITIVE_INFINITY);
    });
    const [emptied, ...others] = await told();
    assert.deepEqual([emptied?.name, others], [null, []]);
    const answers = await database.query<{ answer: string | null }>('select answer from attempt where event_id = $1', [
      emptied?.id,
    ]);
    assert.deepEqual(answers, [{ answer: null }]);
    await database.query('delete from attempt');
  });

  it('empties what an endpoint answers to what it was told before, and no other answer', async () => {
    const line = await lineOf(gateway);
    const messages = [textFrom(ADA, 'wamid.from-ada'), textFrom(GRACE, 'wamid.from-grace')];
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { messages }))).status, 200);
    await until(() => isProcessed(gateway));
    const [ofAda, ofGrace] = [await eventOf(ADA), await eventOf(GRACE)];
    const [channelEvent, ofUserId] = [newId(), newId()];
    const told = [
      { channel: { display_phone_number: '+15550001' } },
      { message: { direction: 'outbound', from: '+15550001', to: null, user_id: 'GB.GRACE1906' } },
    ];
    await gateway.database.query(
      `insert into event (account_id, id, mode, sequence, type, data, at)
       select $1, id, 'test', 1000 + place, 'channel.updated', data, now()
       from unnest($2::uuid[], $3::jsonb[]) with ordinality as t(id, data, place)`,
      [gateway.accountId, [channelEvent, ofUserId], told.map((data) => JSON.stringify(data))],
    );
    await erase(gateway, ADA);
    await firstWalk();
    // These attempts began before the first walk, and are written when they end.
    await insertAnswer(ofAda, 'message.received', 'Thanks, Ada');
    await insertAnswer(ofGrace, 'message.received', 'Thanks, Grace');
    await insertAnswer(channelEvent, 'channel.updated', 'Thanks');
    await insertAnswer(ofUserId, 'message.sent', 'Thanks, Grace');
    await letSettle();
    await until(async () => {
      await eraseRound(gateway.database, SETTLED_MS);
      return (await erasures()).length === 0;
    });
    const answers = await gateway.database.query<{ event_id: string; answer: string | null }>(
      'select event_id, answer from attempt',
    );
    assert.deepEqual(
      new Map(answers.map(({ event_id, answer }) => [event_id, answer])),
      new Map([
        [ofAda, null],
        [ofGrace, 'Thanks, Grace'],
        [channelEvent, 'Thanks'],
        [ofUserId, 'Thanks, Grace'],
      ]),
    );
  });

  it('leaves a raw body that still waits or was set aside, because it may hold news of others', async () => {
    const { database } = gateway;
    const states = ['applied', 'set_aside', 'waiting'];
    const ids = states.map(() => newId());
    await database.query(
      `insert into notification (id, origin, body, state, applied_at, next_at)
       select id, 'test', $3, state::notification_state, case when state = 'applied' then now() end, now() + interval '1 hour'
       from unnest($1::uuid[], $2::text[]) as t(id, state)`,
      [ids, states, Buffer.from(ADA.slice(1))],
    );
    await erase(gateway, ADA);
    await endErasures(database);
    const bodies = await database.query<{ state: string; body: Buffer }>(
      'delete from notification where id = any($1) returning state::text, body',
      [ids],
    );
    assert.deepEqual(bodies.map(({ state, body }) => `${state} ${body}`).toSorted(), [
      'applied ',
      `set_aside ${ADA.slice(1)}`,
      `waiting ${ADA.slice(1)}`,
    ]);
  });
});
