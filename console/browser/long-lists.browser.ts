import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { reportStatus, sendSilent } from './support/report-status.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const TEMPLATES = 130;

describe('what stands on a later page of a list', () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });

  it('can be sent: any template of many', async () => {
    const { key, businessAccountId } = await world.makeAccount('Many Words');
    const components = [{ type: 'BODY', text: 'Dear {{1}}' }];
    const templates = Array.from({ length: TEMPLATES }, (_, place) => ({
      ...{ name: `news_${1_000 + place}`, language: 'en_US', status: 'APPROVED', category: 'UTILITY', components },
    }));
    await world.sandbox('templates', { business_account_id: businessAccountId, templates });
    await world.call('POST', '/api/v1/templates/sync', {}, key);
    const { next_cursor: cursor } = await world.call('GET', '/api/v1/templates?limit=100', undefined, key);
    const { data } = await world.call('GET', `/api/v1/templates?limit=100&cursor=${cursor}`, undefined, key);
    const last = Object(Array.isArray(data) ? data.at(-1) : undefined);
    const page = await world.open();
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/templates/${last.id}`);
    await page.getByRole('link', { name: 'Send it' }).click();
    await page.getByLabel('To', { exact: true }).fill('+447700900123');
    await page.getByLabel('Body: 1').fill('Ada', { timeout: 10_000 });
    await page.getByText('1 of 1 can be sent').waitFor();
  });

  it('is listed when what stood before it does not fit the filter any more', async () => {
    const account = await world.makeAccount('Moving On');
    const older = await sendSilent(world, account);
    const newer = [await sendSilent(world, account), await sendSilent(world, account)];
    const page = await world.open();
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('3 listed').waitFor();
    // As if there were a page full of newer ones.
    await page.route('**/api/v1/messages?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '2');
      return route.continue({ url: url.href });
    });
    await page.getByLabel('Status', { exact: true }).selectOption('accepted');
    await page.getByText('2 listed, more when you scroll down').waitFor();
    for (const sent of newer) await reportStatus(world, account, sent, 'delivered');
    await page.waitForFunction(
      (id) =>
        [...document.querySelectorAll('.message-row a')]
          .map((link) => link.getAttribute('href')?.endsWith(id))
          .join() === 'true',
      older.id,
      { timeout: 10_000 },
    );
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
