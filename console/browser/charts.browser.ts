import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;

describe('the charts', () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });

  it('show an hour with messages also where the hours before and after it have none, however long the time is', async () => {
    const page = await world.open();
    await page.route('**/api/v1/statistics*', (route) => route.fulfill({ json: quietWeek() }));
    await signIn(page, world.gateway.dev.test_key);
    const chart = page.getByRole('figure', { name: 'Time to delivery' });
    await chart.locator('canvas').waitFor();
    const drawn = await chart.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const probe = document.querySelector('.legend .line[data-tone=delivered]');
      const wanted = probe === null ? [] : getComputedStyle(probe).stroke.match(/\d+/g)?.map(Number);
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      let dots = 0;
      for (let at = 0; at < data.length; at += 4)
        if (wanted?.every((part, place) => Math.abs(part - (data[at + place] ?? 0)) < 8)) dots += 1;
      return dots;
    });
    assert.ok(drawn > 0, 'the median of the one hour is there');
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

/** The statistics of a week in which messages went out in one hour only. */
function quietWeek() {
  const sinceMs = Date.parse('2026-11-20T00:00:00.000Z');
  const at = (hour: number) => new Date(sinceMs + hour * HOUR_MS).toISOString();
  const none = {
    accepted: 0,
    sent: 0,
    delivered: 0,
    read: 0,
    failed: 0,
    unknown: 0,
    received: 0,
    to_delivery_ms: null,
  };
  const some = {
    ...none,
    accepted: 4,
    sent: 4,
    delivered: 3,
    read: 2,
    failed: 1,
    to_delivery_ms: { p50: 900, p95: 2_000 },
  };
  const buckets = Array.from({ length: HOURS }, (_, hour) => ({ at: at(hour), ...(hour === 80 ? some : none) }));
  return { since: at(0), until: at(HOURS), step: 'hour', computed_at: at(HOURS), totals: some, buckets, failures: [] };
}
