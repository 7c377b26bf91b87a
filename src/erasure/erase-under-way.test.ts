import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FIRST_LINE, type LiveWorld, startLiveWorld } from '../../test/pacing/live-world.ts';
import { erase, letErasuresSettle, SETTLED_MS } from '../../test/support/erasures.ts';
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
  const taken = await until(() => world.provider.taken.find(({ to }) => to === call.body.to));
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
    const { id, end } = await beginSend({ headers, body });
    await tell([statusOf('delivered', { providerId: 'wamid.ada', messageId: id })]);
    await erase(gateway, ADA);
    await firstWalk();
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
    for (const row of rows) for (const value of Object.values(row ?? {})) assert.equal(value, null);
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
      database.query<{ name: string | null }>(
        `select data->'message'->>'to' as name from event where account_id = $1 and data->'message'->>'id' = $2`,
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
      assert.deepEqual(await told(), [{ name: HOPPER }]);
      await walkTo(Number.POSITIVE_INFINITY);
    });
    assert.deepEqual(await told(), [{ name: null }]);
  });

  it('empties what an endpoint answers to what it was told before, and no other answer', async () => {
    const line = await lineOf(gateway);
    const messages = [textFrom(ADA, 'wamid.from-ada'), textFrom(GRACE, 'wamid.from-grace')];
    assert.equal((await postSigned(asSandbox(gateway), messagesBody(line, { messages }))).status, 200);
    await until(() => isProcessed(gateway));
    const [ofAda, ofGrace] = [await eventOf(ADA), await eventOf(GRACE)];
    const channelEvent = newId();
    await gateway.database.query(
      `insert into event (account_id, id, mode, sequence, type, data, at)
       values ($1, $2, 'test', 1000, 'channel.updated', '{"channel": {"display_phone_number": "+15550001"}}', now())`,
      [gateway.accountId, channelEvent],
    );
    await erase(gateway, ADA);
    await firstWalk();
    // These attempts began before the first walk, and are written when they end.
    await insertAnswer(ofAda, 'message.received', 'Thanks, Ada');
    await insertAnswer(ofGrace, 'message.received', 'Thanks, Grace');
    await insertAnswer(channelEvent, 'channel.updated', 'Thanks');
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
      ]),
    );
  });
});
