import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMetrics } from './metrics.ts';

it('a time between two clocks never takes from its sum, which would pass for a restart', async () => {
  const metrics = createMetrics();
  metrics.deliveries.delivered(-0.05);
  metrics.callback.applied(-0.05);
  const { text } = await metrics.render();
  for (const name of ['waypost_delivery_seconds', 'waypost_notification_apply_seconds']) {
    assert.match(text, new RegExp(`^${name}_sum 0$`, 'm'));
    assert.match(text, new RegExp(`^${name}_count 1$`, 'm'));
  }
});
