import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createTestDatabase } from '../../../test/support/database.ts';
import { intendedMessage, newRequest } from '../../../test/support/new-request.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../../store/database.ts';
import { commitSends } from '../commit/commit-store.ts';
import { takeTurns } from '../commit/turn-store.ts';
import { withdrawRequest } from '../commit/withdraw-store.ts';
import type { IntendedMessage } from '../message.ts';
import { changeMessages, unpackMessages } from '../report/apply-store.ts';
import { createIsTransmitting } from './is-transmitting.ts';

const { database, drop } = await createTestDatabase();
after(drop);

const isTransmitting = createIsTransmitting(database);
const [ACCOUNT, CHANNEL] = [newId(), newId()];

describe('a message is being transmitted', () => {
  it('while it is packed in its running request', async () => {
    const { look } = await begin();
    assert.equal(await look(), true);
    assert.equal(await look({ accountId: newId() }), false);
    assert.equal(await look({ requestId: newId() }), false);
  });

  it('from its turn on, if it had to wait for one', async () => {
    const { look, messageId } = await begin('pending');
    assert.equal(await look(), false);
    await takeTurns(database, [{ accountId: ACCOUNT, messageId }]);
    assert.equal(await look(), true);
  });

  it('until a notification settles it, although its request goes on', async () => {
    const { look, messageId } = await begin();
    await unpackMessages(database, [{ accountId: ACCOUNT, channelId: CHANNEL, messageId }]);
    assert.equal(await look(), true);
    const nothing = { error: null, userId: null, pricing: null, toDeliveryMs: null };
    const told = { accountId: ACCOUNT, id: messageId, status: 'delivered', providerMessageId: 'wamid.1' } as const;
    await changeMessages(database, [{ ...nothing, ...told }]);
    assert.equal(await look(), false);
  });

  it('until its request ends, with or without it', async () => {
    const [ended, withdrawn] = [await begin(), await begin()];
    const { request, message } = ended;
    const outcome = { status: 'accepted', providerMessageId: 'wamid.2', userId: null, held: false } as const;
    const whose = { accountId: ACCOUNT, requestId: request.id, channelId: CHANNEL, mode: 'test' } as const;
    const settled = [
      { ...whose, type: 'text' as const, message, outcome: { ...outcome, error: null, at: new Date() } },
    ];
    const completed = [{ accountId: ACCOUNT, id: request.id, replay: null }];
    await commitSends(database, { begun: [], settled, completed }, 'new');
    await database.transaction((tx) => withdrawRequest(tx, withdrawn.request));
    assert.deepEqual(await Promise.all([ended.look(), withdrawn.look()]), [false, false]);
  });
});

it('messages of one moment are looked at together, each for itself', async () => {
  let asked = 0;
  const store: Queryable = {
    query: (...statement) => {
      asked++;
      return database.query(...statement);
    },
  };
  const together = createIsTransmitting(store);
  const begun = await Promise.all(
    Array.from({ length: 40 }, (_, place) => begin(place % 2 ? 'transmitting' : 'pending')),
  );
  const found = await Promise.all(begun.map(({ wanted }) => together(wanted)));
  assert.deepEqual(
    found,
    begun.map(({ message }) => message.status === 'transmitting'),
  );
  assert.ok(asked <= 2, `${asked} queries for ${begun.length} messages`);
});

/** A running request of one message. */
async function begin(status: IntendedMessage['status'] = 'transmitting') {
  const message = intendedMessage({ status });
  const request = newRequest([message], { accountId: ACCOUNT, channelId: CHANNEL });
  await commitSends(database, { begun: [request], settled: [], completed: [] }, 'new');
  const wanted = { accountId: ACCOUNT, requestId: request.id, messageId: message.id };
  const look = (other: Partial<typeof wanted> = {}) => isTransmitting({ ...wanted, ...other });
  return { request, message, messageId: message.id, wanted, look };
}
