import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { endErasures, erase } from '../../test/support/erasures.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, textFrom } from '../../test/support/notifications.ts';
import { LAST_UUID } from '../kernel/ids.ts';
import { findEventsOfPerson } from './walk-store.ts';

const HEDY = '+447700900769';
const LARGE_BYTES = 40_000;
const BYTES_MAX = 100_000;
const LARGE_EVENTS = 5;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

it('an erasure reads no more of large events at a time than it may, however well they are compressed, and passes none', async () => {
  const line = await lineOf(gateway);
  const [repeated, varied] = [
    'x'.repeat(LARGE_BYTES),
    Array.from({ length: LARGE_BYTES / 5 }, (_, n) => 10_000 + n).join(''),
  ];
  const said = (place: number) =>
    textFrom(HEDY, `wamid.large-${place}`, { text: { body: place % 2 === 0 ? repeated : varied } });
  await postAndApply(
    gateway,
    messagesBody(line, { messages: Array.from({ length: LARGE_EVENTS }, (_, place) => said(place)) }),
  );
  const people = { asked: [HEDY], persons: [HEDY], askedAt: [new Date()] };
  const sizes: number[] = [];
  const ids: string[] = [];
  for (let place: string | null = LAST_UUID; place !== null; ) {
    const stretch = { accountId: gateway.accountId, place, limit: 1_000, ...people };
    const { reached, found } = await findEventsOfPerson(gateway.database, stretch, BYTES_MAX);
    sizes.push(found.reduce((sum, { message }) => sum + JSON.stringify(message).length, 0));
    ids.push(...found.map(({ id }) => id));
    place = reached;
  }
  assert.equal(new Set(ids).size, LARGE_EVENTS);
  assert.equal(ids.length, LARGE_EVENTS);
  // The last one that is taken may go beyond it.
  assert.ok(Math.max(...sizes) < BYTES_MAX + LARGE_BYTES + 2_000, `${sizes}`);
});

it('what is left of an event that somebody else has a part in keeps the digits of its numbers', async () => {
  const line = await lineOf(gateway);
  const reaction = {
    ...{ from: '447700900770', id: 'wamid.reaction', type: 'reaction', timestamp: '1767225600' },
    reaction: { message_id: 'wamid.hedy', emoji: '👍', post_id: 'DIGITS' },
  };
  const body = messagesBody(line, { messages: [textFrom(HEDY, 'wamid.hedy'), reaction] });
  await postAndApply(gateway, JSON.stringify(body).replace('"DIGITS"', '123456789012345678'));
  await erase(gateway, HEDY);
  await endErasures(gateway.database);
  const [row] = await gateway.database.query<{ told: string }>(
    "select (data->'message'->'reaction')::text as told from event where data->'message'->>'type' = 'reaction'",
  );
  assert.equal(row?.told, '{"emoji": "👍", "post_id": 123456789012345678}');
});
