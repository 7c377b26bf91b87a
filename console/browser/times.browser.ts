import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { hoursOfStatistics } from './support/hours-of-statistics.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

/** A zone whose hours are never those of UTC. */
const FAR = { timezoneId: 'Asia/Tokyo' };

describe('the times of the console', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  let at: string;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Far East');
    await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, account.key);
    const body = { to: '+447700900171', type: 'text', text: { body: 'Hello' } };
    const { results } = await world.call('POST', '/api/v1/messages/send', body, account.key);
    const id = String(Object(Array.isArray(results) ? results[0] : undefined).id);
    at = String((await world.call('GET', `/api/v1/messages/${id}`, undefined, account.key)).created_at);
    page = await world.open(FAR);
    await signIn(page, account.key);
    await openPage(page, 'Messages');
  });

  it('are told in UTC to whoever asks for it with the keyboard, on each page and to the millisecond', async () => {
    const hour = `${at.slice(11, 19)} UTC`;
    await page.getByText('Times are in your own time zone, Asia/Tokyo.').waitFor();
    assert.equal(await page.getByText(hour).count(), 0);
    const button = page.getByRole('button', { name: 'Show UTC' });
    await button.press('Enter');
    await page.getByText('Times are in UTC.').waitFor();
    await page.getByRole('row').getByText(hour).waitFor();
    await page.getByRole('link', { name: '+447700900171' }).click();
    const told = `${at.slice(0, 10)} ${at.slice(11, 23)} UTC`;
    await page.getByText(told).first().waitFor();
  });

  it('stay so in other tabs and after a reload, also for who signs in with another key', async () => {
    await page.reload();
    await page.getByText('Times are in UTC.').waitFor();
    const operator = await page.context().newPage();
    await operator.goto(world.gateway.dev.console_url);
    await signIn(operator, world.gateway.dev.platform_key);
    await openPage(operator, 'Audit log');
    await operator
      .getByText(/^2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
      .first()
      .waitFor();
  });

  it('are those of the charts too; and a field for a time says that it stays in the own zone', async () => {
    const answer = { json: hoursOfStatistics('2026-11-20T00:00:00.000Z', 1, 0) };
    await page.route('**/api/v1/statistics*', (route) => route.fulfill(answer));
    await openPage(page, 'Overview');
    await page.getByText('The same as a table').first().click();
    await page.getByRole('rowheader', { name: '2026-11-20 00:00:00.000 UTC' }).waitFor();
    await page.getByRole('form', { name: 'Time' }).getByRole('combobox').selectOption('From … to …');
    await page.getByText('In your own time zone.').waitFor();
  });

  it('are those of the own zone again, and then nothing is kept', async () => {
    await page.getByRole('button', { name: 'Show your own time' }).press('Enter');
    await page.getByRole('rowheader', { name: /09:00:00/ }).waitFor();
    assert.equal(await page.getByText('In your own time zone.').count(), 0);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
