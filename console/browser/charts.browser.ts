import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { hoursOfStatistics } from './support/hours-of-statistics.ts';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

/** A week in which messages went out in one hour only. */
const QUIET_WEEK = hoursOfStatistics('2026-11-20T00:00:00.000Z', 7 * 24, 80);

describe('the charts', () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });

  it('show an hour with messages also where the hours before and after it have none, however long the time is', async () => {
    assert.ok((await drawnPlaces(QUIET_WEEK)).length > 0, 'the median of the one hour is there');
  });

  it('show a single time in their middle, and not at the edge of years', async () => {
    const places = await drawnPlaces(hoursOfStatistics('2026-11-20T00:00:00.000Z', 1, 0));
    assert.ok(places.length > 0, 'the median is there');
    assert.ok(
      places.every((place) => place > 0.3 && place < 0.7),
      String(places),
    );
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  /** Where the median is drawn, from 0 at the left to 1. */
  async function drawnPlaces(json: ReturnType<typeof hoursOfStatistics>): Promise<number[]> {
    const page = await world.open();
    await page.route('**/api/v1/statistics*', (route) => route.fulfill({ json }));
    await signIn(page, world.gateway.dev.test_key);
    const chart = page.getByRole('figure', { name: 'Time to delivery' });
    await chart.locator('canvas').waitFor();
    return chart.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const probe = document.querySelector('.legend .line[data-tone=delivered]');
      const wanted = probe === null ? [] : getComputedStyle(probe).stroke.match(/\d+/g)?.map(Number);
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      const places: number[] = [];
      for (let at = 0; at < data.length; at += 4)
        if (wanted?.every((part, place) => Math.abs(part - (data[at + place] ?? 0)) < 8))
          places.push(((at / 4) % canvas.width) / canvas.width);
      return places;
    });
  }
});
