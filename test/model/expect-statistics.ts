import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { Model, ModelMessage } from './model.ts';
import type { Real } from './real.ts';

/** What is counted of a message. */
const COUNTED: Record<string, (message: ModelMessage) => boolean> = {
  accepted: ({ status, refused }) =>
    ['accepted', 'sent', 'delivered', 'read'].includes(status) || (status === 'failed' && !refused),
  sent: ({ status }) => ['sent', 'delivered', 'read'].includes(status),
  delivered: ({ status }) => ['delivered', 'read'].includes(status),
  read: ({ status }) => status === 'read',
  failed: ({ status }) => status === 'failed',
  unknown: ({ status }) => status === 'unknown',
  received: ({ direction }) => direction === 'inbound',
};

/** Asserts that the figures of all accounts come to be those of their messages. They are counted a little later. */
export async function expectStatistics(models: readonly Model[], real: Real): Promise<void> {
  for (const { id: accountId, data } of models.flatMap(({ accounts }) => accounts).filter(({ deleted }) => !deleted))
    for (const mode of ['test', 'live'] as const) {
      const key = await real.gateway.createKey({ accountId, mode });
      const of = Object.entries(COUNTED).map(([name, counts]) => [name, data[mode].messages.filter(counts).length]);
      const expected = JSON.stringify(Object.fromEntries(of));
      let shown = '';
      await until(async () => {
        const { to_delivery_ms: _, ...totals } = (await real.gateway.call('GET', '/api/v1/statistics', { key })).json
          .totals;
        shown = JSON.stringify(totals);
        return shown === expected;
      }).catch(() => assert.equal(shown, expected));
    }
}
