import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Message } from '../api/message.ts';
import { createMessageList, type MessageFilter, NO_FILTER } from './message-list.ts';

/** A message with this number that has changed so many times. */
function message(number: number, changes = 0, more: Partial<Message> = {}): Message {
  const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000).toISOString();
  return {
    ...{ id: `msg_${String(number).padStart(26, '0')}`, request_id: null, channel_id: 'chn_1', direction: 'outbound' },
    ...{
      from: null,
      to: '+447700900123',
      user_id: null,
      profile: null,
      type: 'text',
      reply_to: null,
      message_id: null,
    },
    ...{ status: 'accepted', client_reference: null, held: false, error: null },
    ...{ created_at: at(number), updated_at: at(number + changes), content_expired: undefined, timeline: undefined },
    ...{ content: undefined },
    ...more,
  };
}

describe('the list of messages', () => {
  it('shows each message once, newest first, in its newest state, in whatever order they come', () => {
    const change = fc.record({ number: fc.nat(30), changes: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 20 }), { maxLength: 8 }), (batches) => {
        const list = createMessageList();
        for (const batch of batches)
          list.put(
            batch.map(({ number, changes }) => message(number, changes)),
            NO_FILTER,
          );
        const newest = new Map<number, number>();
        for (const { number, changes } of batches.flat())
          newest.set(number, Math.max(changes, newest.get(number) ?? 0));
        const expected = [...newest].sort(([a], [b]) => b - a).map(([number, changes]) => message(number, changes));
        assert.deepEqual(list.rows, expected);
      }),
    );
  });

  it('takes a message out when it does not fit the filter any more, and in when it begins to', () => {
    const pending: MessageFilter = { ...NO_FILTER, status: 'pending' };
    const list = createMessageList();
    assert.equal(list.put([message(1, 0, { status: 'pending' }), message(2)], pending), 1);
    assert.equal(list.put([message(1, 1, { status: 'accepted' })], pending), 0);
    assert.deepEqual(list.rows, []);
  });

  it('has both sides of the conversation with a person, and what came to a number of the account, as the API has', () => {
    const [own, number, userId] = ['+15550000001', '+447700900123', 'US.675611277158417062'];
    const messages = [
      message(1, 0, { from: own, to: number }),
      message(2, 0, { direction: 'inbound', from: number, to: own, user_id: userId }),
      message(3, 0, { direction: 'inbound', from: null, to: own, user_id: userId }),
      message(4, 0, { from: own, to: null, user_id: userId }),
      message(5, 0, { from: own, to: '+447700900124', user_id: 'US.1' }),
    ];
    const found = (member: 'person' | 'to', value: string) => {
      const list = createMessageList();
      list.put(messages, { ...NO_FILTER, search: { member, value } });
      return list.rows.map(({ id }) => Number(id.slice(4)));
    };
    assert.deepEqual(found('person', number), [2, 1]);
    assert.deepEqual(found('person', userId), [4, 3, 2]);
    assert.deepEqual(found('to', own), [3, 2]);
  });

  it('keeps the content that a page has brought when an event without content follows', () => {
    const list = createMessageList();
    list.put([message(1, 0, { content: { body: 'Hello' } })], NO_FILTER);
    list.put([message(1, 1, { status: 'read' })], NO_FILTER);
    assert.deepEqual([list.rows[0]?.status, list.rows[0]?.content], ['read', { body: 'Hello' }]);
  });

  it('takes the content from a page also where an event has told of a newer state before', () => {
    const list = createMessageList();
    list.put([message(1, 1, { status: 'read' })], NO_FILTER);
    list.put([message(1, 0, { content: { body: 'Hello' } })], NO_FILTER);
    assert.deepEqual([list.rows[0]?.status, list.rows[0]?.content], ['read', { body: 'Hello' }]);
  });

  it('drops the oldest when there are too many to keep', () => {
    const list = createMessageList();
    const many = Array.from({ length: 20_010 }, (_, place) => message(place));
    list.put(many, NO_FILTER);
    assert.equal(list.rows.length, 20_000);
    assert.equal(list.rows.at(-1)?.id, message(10).id);
  });
});
