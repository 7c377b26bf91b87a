import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const REQUESTS = 230;
/** What the API gives at once. */
const FIRST_PAGE = 100;

describe('the list of requests', () => {
  let world: World;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    const { key } = await world.makeAccount('Long Row');
    const body = { to: '+15552000011', type: 'text', text: { body: 'Hello' } };
    await Promise.all(Array.from({ length: REQUESTS }, () => world.call('POST', '/api/v1/messages/send', body, key)));
    page = await world.open();
    await signIn(page, key);
  });

  it('goes on when asked, and says when it lists no more', async () => {
    await openPage(page, 'Requests');
    const rows = page.locator('.cards tbody tr');
    await rows.nth(FIRST_PAGE - 1).waitFor();
    assert.equal(await rows.count(), FIRST_PAGE);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('The newest 200 are listed').waitFor();
    assert.equal(await rows.count(), 2 * FIRST_PAGE);
    assert.equal(await page.getByRole('button', { name: 'Load more' }).count(), 0);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
