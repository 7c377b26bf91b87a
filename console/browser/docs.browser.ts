import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './support/find-barriers.ts';
import { sharedWorld } from './support/shared-world.ts';
import type { World } from './support/world.ts';

const NARROW = { width: 360, height: 740 };

describe('the documentation in a browser', () => {
  let world: World;
  let page: Page;
  let addresses: string[];
  before(async () => {
    world = await sharedWorld();
    page = await world.open({ viewport: NARROW });
    await page.goto(`${world.gateway.dev.base_url}/docs`);
    const links = page.getByRole('navigation').getByRole('link');
    addresses = await links.evaluateAll((all) =>
      all.map((link) => (link instanceof HTMLAnchorElement ? link.href : '')),
    );
  });

  it('fits a phone, page by page', async () => {
    const pages = [...new Set(addresses.map((address) => address.replace(/#.*/, '')))];
    assert.ok(pages.length > 20, `${pages.length} pages`);
    for (const address of pages.filter((one) => !one.endsWith('/docs/api'))) {
      await page.goto(address);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(width, NARROW.width, `${address} is no wider than the screen`);
    }
  });

  it('has no barrier, light or dark', async () => {
    for (const name of ['', '/sending', '/guides/command-line', '/guides/console', '/errors/window_closed'])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`${world.gateway.dev.base_url}/docs${name}`);
        assert.deepEqual(await findBarriers(page), [], `${name} ${colorScheme}`);
      }
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
