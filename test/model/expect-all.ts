import assert from 'node:assert/strict';
import { readTransmits } from '../support/transmits.ts';
import { untilDelivered } from './deliveries.ts';
import { expectEvents, expectMessage } from './expect.ts';
import type { Model, ModelMessage } from './model.ts';
import { readList } from './read-list.ts';
import { readLog } from './read-log.ts';
import type { Real } from './real.ts';

/** Asserts that every message, transmit, event and delivery is there as it must be, and nothing else. */
export async function expectAll({ accounts }: Model, real: Real): Promise<void> {
  for (const account of accounts.filter(({ deleted }) => !deleted)) {
    const { id: accountId, data } = account;
    for (const mode of ['test', 'live'] as const) {
      const key = await real.gateway.createKey({ accountId, mode });
      const { messages } = data[mode];
      const listed = await readList(real, key, '/api/v1/messages', 100);
      assert.equal(listed.length, messages.length);
      for (const message of messages) {
        expectMessage((await real.gateway.call('GET', `/api/v1/messages/${message.id}`, { key })).json, message);
        if (mode === 'test') await expectTransmits(real, message);
      }
      expectEvents(await readLog(real, key, 100), data[mode]);
    }
    for (const endpoint of data.test.endpoints) await untilDelivered(real, account, endpoint);
  }
}

/** Nothing is sent twice, and nothing that was refused before. */
async function expectTransmits({ gateway }: Real, { id, transmits }: ModelMessage): Promise<void> {
  const seen = await readTransmits(gateway.sandbox.url, { callback_data: id });
  assert.equal(seen.length, transmits, id);
}
