import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../kernel/ids.ts';
import { listMessages, type MessageFilter } from './read-store.ts';

const FILTER: Required<MessageFilter> = {
  request_id: newId(),
  message_id: 'wamid.1',
  client_reference: 'a',
  to_phone: '447700900123',
  to_user_id: 'GB.1',
  to_channels: [newId()],
  status: 'sent',
  direction: 'outbound',
  since: newId(),
  before: newId(),
};

it('However its filters are put together, the list of messages has few statements: a connection keeps the plan of each', async () => {
  const texts = new Set<string>();
  const store = {
    query: (sql: string) => {
      texts.add(sql);
      return Promise.resolve([]);
    },
  };
  const entries = Object.entries(FILTER);
  for (let some = 0; some < 2 ** entries.length; some++) {
    const filter = { ...Object.fromEntries(entries.filter((_, place) => some & (2 ** place))), since: newId() };
    await listMessages(store, newId(), 'live', filter, 50);
    await listMessages(store, newId(), 'live', { ...filter, status: 'failed' }, 50);
  }
  // With each filter that has an index or with none, and of a later page or not: of stored messages, and of those under way.
  assert.ok(texts.size <= 14 + 12, `${texts.size} statements`);
});
