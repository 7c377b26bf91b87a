import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

describe('an answer of a rare kind', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Odd Answers');
    page = await world.open();
    await signIn(page, account.key);
  });

  it('a template has parts that cannot be shown, and they are named', async () => {
    await change('**/api/v1/templates/tpl_*', (template) => ({
      ...template,
      status: 'in_appeal',
      components: [{ type: 'CALL_PERMISSION_REQUEST' }, { type: 'FOOTER', text: 'The shop' }],
    }));
    await openPage(page, 'Templates');
    await page.getByRole('link', { name: 'hello_world' }).first().click();
    await page.getByText('It has more, which cannot be shown here: call permission request.').waitFor();
    await page.locator('.phone-bubble').getByText('The shop', { exact: true }).waitFor();
    await page.getByText('the provider says that it is in appeal.').waitFor();
  });

  it('a channel is suspended, and whoever chooses it to send from sees that', async () => {
    await change('**/api/v1/channels?*', ({ data, ...rest }) => ({
      ...rest,
      data: Array.isArray(data) ? data.map((one: object) => ({ ...one, status: 'suspended' })) : [],
    }));
    await openPage(page, 'Send');
    await page.getByRole('option', { name: /\(suspended\)$/ }).waitFor({ state: 'attached' });
  });

  it('messages came in and none went out, and the overview says so', async () => {
    const figures = {
      ...{ accepted: 0, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0, received: 3, to_delivery_ms: null },
    };
    await change('**/api/v1/statistics?*', (statistics) => ({
      ...statistics,
      totals: figures,
      buckets: [{ at: statistics.since, ...figures }],
    }));
    await openPage(page, 'Overview');
    await page.getByText('In this time 3 messages came in from people.').waitFor();
    await page.getByText('No delivery is known in this time.').waitFor();
    for (const table of await page.getByText('The same as a table').all()) await table.click();
    assert.equal(await page.getByText('There are no figures but 0.').count(), 3);
  });

  it('the provider said of an error only what it means', async () => {
    const body = { to: '+15550131026', type: 'text', text: { body: 'Hello' } };
    const { results } = await world.call('POST', '/api/v1/messages/send', body, account.key);
    const { id } = Object(Array.isArray(results) ? results[0] : undefined);
    let provider: object = { details: 'It is too long' };
    await change(`**/api/v1/messages/${id}`, (message) => {
      return { ...message, error: { ...Object(message.error), provider } };
    });
    await page.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
    // Its timeline has the error as it was.
    const box = page.locator('.box.bad').first();
    await box.getByText("· the provider's answer: It is too long").waitFor();
    provider = { trace_id: 'A1' };
    await page.reload();
    await box.getByText('What this code means').waitFor();
    assert.equal(await box.getByText("the provider's", { exact: false }).count(), 0);
  });

  it('a key that is told of no events is promised none', async () => {
    const keys = `/platform/v1/accounts/${account.id}/keys`;
    const wish = { name: 'Reader', mode: 'test', scopes: ['messages:read'] };
    const { key } = await world.call('POST', keys, wish, world.gateway.dev.platform_key);
    const reader = await world.open();
    await signIn(reader, String(key));
    await openPage(reader, 'Messages');
    await reader.getByText('Newest first; reload the page to see what has changed.').waitFor();
    const all = await world.open();
    await signIn(all, account.key);
    await openPage(all, 'Messages');
    await all.getByText('Newest first; what changes is shown as it happens.').waitFor();
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  /** Lets the page read something else than the gateway has answered. */
  async function change(path: string, to: (answer: Record<string, unknown>) => object): Promise<void> {
    await page.route(path, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: to(await response.json()) });
    });
  }
});
