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
    const filter = Object.fromEntries(entries.filter((_, place) => some & (2 ** place)));
    await listMessages(store, newId(), 'live', filter, 50);
  }
  assert.ok(texts.size <= 40, `${texts.size} statements`);
});
