import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { letThrough } from './support/let-through.ts';
import { reportStatus, sendSilent } from './support/report-status.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const REQUESTS = 230;
/** How many messages the API returns at once. */
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

  it('leads to a request whose counts are right, also when they change while they are read', async () => {
    const account = await world.makeAccount('Late News');
    const sent = await sendSilent(world, account);
    const other = await world.open();
    await signIn(other, account.key);
    let calls = 0;
    const heard = Promise.withResolvers<void>();
    await other.route('**/api/v1/requests/*', async (route) => {
      calls += 1;
      const answer = await route.fetch();
      // The second answer was made before the second event, and arrives after it.
      if (calls === 2) await heard.promise;
      await route.fulfill({ response: answer });
    });
    await openPage(other, 'Requests');
    await other.getByLabel('Request id').fill(` ${sent.requestId}`);
    await other.getByRole('button', { name: 'Open' }).click();
    await other.getByText('1 accepted, 0 failed, 0 unknown').waitFor();
    await other.getByText('Live', { exact: true }).waitFor();
    await reportStatus(world, account, sent, 'sent');
    const row = other.getByRole('row', { name: /\+15552000011/ });
    await row.getByText('sent', { exact: true }).waitFor();
    await reportStatus(world, account, sent, 'failed');
    await row.getByText('failed', { exact: true }).waitFor();
    heard.resolve();
    await other.getByText('0 accepted, 1 failed, 0 unknown').waitFor();
  });

  it('leads to a request that is followed to its end, also where once nobody answers', async () => {
    const account = await world.makeAccount('Long Run');
    const sent = await sendSilent(world, account);
    const other = await world.open();
    await signIn(other, account.key);
    const itself = `**/api/v1/requests/${sent.requestId}`;
    await other.route(itself, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), completed_at: null, pending_count: 1 } });
    });
    await other.goto(`${world.gateway.dev.console_url}#/requests/${sent.requestId}`);
    await other.getByText('It still runs.').waitFor();
    // The newest of the two counts: in no moment between them is the true answer given, which would end the following.
    await other.route(itself, (route) => route.abort());
    await other.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await letThrough(other);
    await other.getByText('It still runs.').waitFor({ state: 'detached' });
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
