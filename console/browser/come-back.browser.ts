import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { reportStatus, sendSilent } from './support/report-status.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

/** More than the API returns at once. */
const MESSAGES = 150;

describe('whoever comes back from a message to the list', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Long Story');
    const to = Array.from({ length: 50 }, (_, place) => `+44770090${1_000 + place}`);
    const body = { to, type: 'text', text: { body: 'Hello' } };
    for (let sent = 0; sent < MESSAGES; sent += to.length)
      await world.call('POST', '/api/v1/messages/send', body, account.key);
    page = await world.open();
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('100 listed, more when you scroll down').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('finds the same place, with all pages that were read and what has happened meanwhile', async () => {
    const rows = page.locator('.message-rows');
    await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.getByText(`${MESSAGES} listed.`).waitFor();
    await rows.evaluate((box) => box.scrollTo(0, 80 * 44 + 10));
    await page.locator('[aria-rowindex="82"]').waitFor();
    const before = await firstInView(page);
    await page.locator('[aria-rowindex="86"] a').click();
    await page.getByRole('heading', { level: 1, name: 'Message', exact: true }).waitFor();
    const sent = await sendSilent(world, account);
    await reportStatus(world, account, sent, 'delivered');
    await page.goBack();
    await page.getByRole('button', { name: '↑ 1 new' }).waitFor();
    await page.getByText(`${MESSAGES + 1} listed.`).waitFor();
    assert.equal(await firstInView(page), before);
    await page.getByRole('button', { name: '↑ 1 new' }).click();
    await page
      .getByRole('row', { name: /\+15552000011/ })
      .getByText('delivered')
      .waitFor();
  });

  it('begins at the newest where that was in view, and with a new filter', async () => {
    await page.locator('[aria-rowindex="3"] a').click();
    await page.getByRole('heading', { level: 1, name: 'Message', exact: true }).waitFor();
    await page.goBack();
    await page.locator('[aria-rowindex="2"]').waitFor();
    assert.equal(await page.locator('.message-rows').evaluate((box) => box.scrollTop), 0);
    await page.locator('.message-rows').evaluate((box) => box.scrollTo(0, 1_000));
    await page.getByRole('button', { name: '↑ To the newest' }).waitFor();
    await page.getByLabel('Direction').selectOption('outbound');
    await page.getByText('100 listed, more when you scroll down').waitFor();
    assert.equal(await page.locator('.message-rows').evaluate((box) => box.scrollTop), 0);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

/** The first message in view, and how far it is scrolled out of it. */
function firstInView(page: Page): Promise<string> {
  return page.locator('.message-rows').evaluate((box) => {
    const { left, top } = box.getBoundingClientRect();
    const row = document.elementFromPoint(left + 20, top + 5)?.closest('.message-row');
    return `${row?.querySelector('a')?.href} ${(row?.getBoundingClientRect().top ?? 0) - top}`;
  });
}
