import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Route } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { reportStatus, sendSilent } from './support/report-status.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const TEMPLATES = 130;
const CHANNELS = 110;
/** As many messages as the tab keeps. */
const KEPT = 20_000;
/** More than a screen shows: with fewer the page reads on by itself. */
const READ_AT_ONCE = 45;

describe('what stands on a later page of a list', () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });

  it('can be sent: any template of many, as soon as the provider says so', async () => {
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
    const provide = async (status: string) => {
      const changed = templates.map((template) => (template.name === last.name ? { ...template, status } : template));
      await world.sandbox('templates', { business_account_id: businessAccountId, templates: changed });
      await world.call('POST', '/api/v1/templates/sync', {}, key);
    };
    const sendIt = page.getByRole('link', { name: 'Send it' });
    await sendIt.waitFor();
    await provide('PAUSED');
    await page.getByText('the provider says that it is paused').waitFor();
    await provide('APPROVED');
    await sendIt.click();
    await page.getByLabel('To', { exact: true }).fill('+447700900123');
    await page.getByLabel('Body: 1').fill('Ada');
    await page.getByText('1 of 1 can be sent').waitFor();
    const reader = await world.open();
    await signIn(reader, key);
    await reader.goto(`${world.gateway.dev.console_url}#/templates/${last.id}`);
    await reader.getByRole('link', { name: 'Send it' }).waitFor();
    const others = templates.filter(({ name }) => name !== last.name);
    await world.sandbox('templates', { business_account_id: businessAccountId, templates: others });
    await world.call('POST', '/api/v1/templates/sync', {}, key);
    await reader.getByRole('alert').getByText('not_found').waitFor();
    assert.equal(await reader.getByRole('link', { name: 'Send it' }).count(), 0);
    await reader.goto(`${world.gateway.dev.console_url}#/send/${last.id}`);
    await reader.getByText('There is no such template any more').waitFor();
  });

  it('can be sent from: any channel of many, unless it was removed', async () => {
    const { id, key } = await world.makeAccount('Many Numbers');
    const { platform_key: platformKey } = world.gateway.dev;
    const connected: string[] = [];
    for (let number = 0; number < CHANNELS; number++) {
      const wish = {
        ...{ phone_number_id: `8200${number}`, business_account_id: '82', access_token: 'a-token', mode: 'test' },
        display_phone_number: `+1555082${1_000 + number}`,
      };
      const channel = await world.call('POST', `/platform/v1/accounts/${id}/channels`, wish, platformKey);
      connected.push(String(channel.id));
    }
    const [first = '', second = ''] = connected;
    await world.call('DELETE', `/platform/v1/channels/${first}`, undefined, platformKey);
    const page = await world.open();
    await signIn(page, key);
    await openPage(page, 'Send');
    const from = page.getByLabel('From', { exact: true });
    await from.selectOption(second);
    // The oldest channel is the one that the account has had from the beginning. The first option stands for no channel.
    await from.locator('option').nth(CHANNELS).waitFor({ state: 'attached' });
    assert.equal(await from.locator(`option[value="${first}"]`).count(), 0);
    // The list stays as long as it is when one of them changes.
    await openPage(page, 'Channels');
    const rows = page.locator('tbody tr');
    await rows.nth(49).waitFor();
    await page.route('**/api/v1/channels?*', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows.nth(99).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await world.call('DELETE', `/platform/v1/channels/${connected.at(-1)}`, undefined, platformKey);
    await rows.first().getByText('removed').waitFor();
    assert.equal(await rows.count(), 100);
    // What was asked for a moment before the change comes too.
    const [read, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async (route: Route) => {
      read.resolve();
      await late.promise;
      await route.continue();
    };
    await page.route('**/api/v1/channels?*', hold, { times: 1 });
    await page.getByRole('button', { name: 'Load more' }).click();
    await read.promise;
    await world.call('DELETE', `/platform/v1/channels/${connected.at(-2)}`, undefined, platformKey);
    await rows.nth(1).getByText('removed').waitFor();
    late.resolve();
    await rows.nth(CHANNELS).waitFor();
  });

  it('is listed when what stood before it does not fit the filter any more', async () => {
    const account = await world.makeAccount('Moving On');
    const older = await sendSilent(world, account);
    const newer = [await sendSilent(world, account), await sendSilent(world, account)];
    const page = await world.open();
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('3 listed').waitFor();
    // Answers as if there were a page full of newer messages, and at first no older one could be read.
    let isAway = true;
    await page.route('**/api/v1/messages?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '2');
      return isAway && url.searchParams.has('cursor')
        ? route.fulfill({ status: 502, body: '' })
        : route.continue({ url: url.href });
    });
    await page.getByLabel('Status', { exact: true }).selectOption('accepted');
    await page.getByRole('alert').getByText('http_502').waitFor();
    await page.getByText('2 listed, more when you scroll down').waitFor();
    isAway = false;
    for (const sent of newer) await reportStatus(world, account, sent, 'delivered');
    await page.waitForFunction(
      (id) =>
        [...document.querySelectorAll('.message-row a')]
          .map((link) => link.getAttribute('href')?.endsWith(id))
          .join() === 'true',
      older.id,
    );
  });

  it('is not told as new when it changes, nor listed behind a gap, before its page is read', async () => {
    const account = await world.makeAccount('Read Late');
    const oldest = await sendSilent(world, account);
    await Promise.all(Array.from({ length: READ_AT_ONCE - 1 }, () => sendSilent(world, account)));
    const newest = await sendSilent(world, account);
    const page = await world.open();
    await page.route('**/api/v1/messages?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', String(READ_AT_ONCE));
      return route.continue({ url: url.href });
    });
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText(`${READ_AT_ONCE} listed, more when you scroll down`).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.locator('.message-rows').evaluate((rows) => rows.scrollTo(0, 100));
    const arrivals = page.getByRole('button', { name: /^↑/ });
    await arrivals.waitFor();
    await reportStatus(world, account, oldest, 'delivered');
    // The events come in their order, so the one about the oldest message has been heard by then.
    await reportStatus(world, account, newest, 'read');
    await page.locator('.message-row').getByText('read', { exact: true }).waitFor();
    assert.equal(await arrivals.textContent(), '↑ To the newest');
    await page.getByText(`${READ_AT_ONCE} listed, more when you scroll down`).waitFor();
    await page.locator('.message-rows').evaluate((rows) => rows.scrollTo(0, rows.scrollHeight));
    await page.locator('.message-row').getByText('delivered', { exact: true }).waitFor();
    await page.getByText(`${READ_AT_ONCE + 1} listed.`).waitFor();
    const announced = page.getByRole('status').getByText('1 new message.', { exact: true });
    assert.equal(await announced.count(), 0);
    await reportStatus(world, account, await sendSilent(world, account), 'sent');
    await announced.waitFor({ state: 'attached' });
    assert.equal(await arrivals.textContent(), '↑ 1 new');
  });

  it('is not asked for where it would be dropped at once, because the tab keeps no more', async () => {
    const account = await world.makeAccount('Full Shelf');
    const [oldest, sent] = [await sendSilent(world, account), await sendSilent(world, account)];
    const page = await world.open();
    let asked = 0;
    await page.route('**/api/v1/messages?*', async (route) => {
      if (new URL(route.request().url()).searchParams.has('cursor')) asked += 1;
      const response = await route.fetch();
      const { data } = await response.json();
      const idOf = (place: number) => `${sent.id.slice(0, -5)}${String(KEPT - place).padStart(5, '0')}`;
      const all = Array.from({ length: KEPT }, (_, place) => ({ ...data[0], id: idOf(place) }));
      await route.fulfill({ response, json: { data: all, next_cursor: 'more' } });
    });
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('20,000 listed, and no more are kept here').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const rows = page.locator('.message-rows');
    await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.locator(`[aria-rowindex="${KEPT + 1}"]`).waitFor();
    // Nor is a message that is too old to be kept told as one that has come.
    await reportStatus(world, account, oldest, 'delivered');
    await reportStatus(world, account, await sendSilent(world, account), 'sent');
    await page.getByRole('button', { name: '↑ 1 new' }).waitFor();
    assert.equal(asked, 0);
  });

  it('is listed although it came when the list was read and the stream of events had not begun', async () => {
    const account = await world.makeAccount('In Between');
    const page = await world.open();
    const late = Promise.withResolvers<void>();
    await page.route('**/api/v1/events?*', async (route) => {
      await late.promise;
      await route.continue();
    });
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('No messages yet').waitFor();
    await reportStatus(world, account, await sendSilent(world, account), 'sent');
    await until(async () => (await world.call('GET', '/api/v1/events', undefined, account.key)).latest_sequence === 1);
    late.resolve();
    await page.getByText('1 listed').waitFor();
  });

  it('is listed although it came when the list was found, and the stream of events had begun before that was answered', async () => {
    const account = await world.makeAccount('Slow Line');
    const page = await world.open();
    const [read, late, begun] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    await page.route('**/api/v1/events?*', async (route) => {
      await begun.promise;
      await route.continue();
    });
    await page.route(
      '**/api/v1/messages?*',
      async (route) => {
        const response = await route.fetch();
        read.resolve();
        await late.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await read.promise;
    await reportStatus(world, account, await sendSilent(world, account), 'sent');
    await until(async () => (await world.call('GET', '/api/v1/events', undefined, account.key)).latest_sequence === 1);
    begun.resolve();
    await page.getByText('Live', { exact: true }).waitFor();
    late.resolve();
    await page.getByText('1 listed').waitFor();
  });

  it('is not listed as it was before an event that came while the list was read', async () => {
    const account = await world.makeAccount('Overtaken');
    const [one, two] = [await sendSilent(world, account), await sendSilent(world, account)];
    await reportStatus(world, account, one, 'sent');
    const page = await world.open();
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('2 listed').waitFor();
    const [read, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/api/v1/messages?*', async (route) => {
      const response = await route.fetch();
      read.resolve();
      await late.promise;
      await route.fulfill({ response });
    });
    await page.getByLabel('Status', { exact: true }).selectOption('sent');
    await read.promise;
    await reportStatus(world, account, one, 'delivered');
    await reportStatus(world, account, two, 'sent');
    await page.getByText('1 listed').waitFor();
    const answered = page.waitForResponse('**/api/v1/messages?*');
    late.resolve();
    await (await answered).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await page.locator('.message-row a').count(), 1);
  });

  it('still says what it says when an event tells of it, which does not repeat that', async () => {
    const account = await world.makeAccount('Told Once');
    const sent = await sendSilent(world, account);
    const page = await world.open();
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    const row = page.locator('.message-drawn .message-row');
    await row.getByText('Hello', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await reportStatus(world, account, sent, 'delivered');
    await row.getByText('delivered', { exact: true }).waitFor();
    assert.equal(await row.locator('.summary').textContent(), 'Hello');
  });

  it('is listed since a time that goes on, also for whoever comes back', async () => {
    const { key } = await world.makeAccount('Back Late');
    const page = await world.open();
    await page.clock.install();
    await signIn(page, key);
    const asked: number[] = [];
    page.on('request', (request) => {
      const since = new URL(request.url()).searchParams.get('since');
      if (since !== null && request.url().includes('/messages?')) asked.push(Date.parse(since));
    });
    await openPage(page, 'Messages');
    await page.getByLabel('Since').selectOption('15 minutes');
    await page.getByText('No message fits the filter').waitFor();
    await openPage(page, 'Channels');
    await page.clock.fastForward(3_600_000);
    await openPage(page, 'Messages');
    await page.getByText('No message fits the filter').waitFor();
    const [first = 0, second = 0] = asked;
    assert.ok(second - first >= 3_600_000, `${second - first} ms`);
  });

  it('is not asked for in place of the first page of another filter, which was refused', async () => {
    const account = await world.makeAccount('Refused Once');
    const sent = [await sendSilent(world, account), await sendSilent(world, account), await sendSilent(world, account)];
    const page = await world.open();
    const asked: URLSearchParams[] = [];
    let isAway = false;
    await page.route('**/api/v1/messages?*', (route) => {
      const url = new URL(route.request().url());
      asked.push(new URLSearchParams(url.searchParams));
      url.searchParams.set('limit', '2');
      if (isAway) return route.fulfill({ status: 503, body: '' });
      // The list that is left has a cursor: its second page cannot be read.
      const isLeft = url.searchParams.has('cursor') && !url.searchParams.has('status');
      return isLeft ? route.fulfill({ status: 502, body: '' }) : route.continue({ url: url.href });
    });
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByRole('alert').getByText('http_502').waitFor();
    await page.getByText('2 listed, more when you scroll down').waitFor();
    isAway = true;
    await page.getByLabel('Status', { exact: true }).selectOption('delivered');
    await page.getByRole('alert').getByText('http_503').waitFor();
    isAway = false;
    for (const one of sent.slice(1)) await reportStatus(world, account, one, 'delivered');
    await page.locator('.message-row a').first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2 listed.').waitFor();
    const ofFilter = asked.filter((query) => query.get('status') === 'delivered');
    assert.deepEqual(
      ofFilter.map((query) => query.get('cursor')),
      [null, null],
    );
  });

  it('is of the list that is shown, whatever stands in its filter by now; and a list is gone when another filter is refused', async () => {
    const older = await world.makeAccount('Audited First');
    const newer = await world.makeAccount('Audited Last');
    const page = await world.open();
    let limit = 2;
    await page.route('**/platform/v1/audit?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', String(limit));
      return route.continue({ url: url.href });
    });
    await signIn(page, world.gateway.dev.platform_key);
    await openPage(page, 'Audit log');
    const rowsOf = ({ id }: { id: string }) => page.locator(`tbody tr:has(a[href$="${id}"])`);
    await rowsOf(newer).nth(1).waitFor();
    await page.getByLabel('Account id').fill(newer.id);
    await page.getByRole('button', { name: 'Load more' }).click();
    await rowsOf(older).nth(1).waitFor();
    assert.deepEqual([await rowsOf(newer).count(), await page.locator('tbody tr').count()], [2, 4]);
    limit = 1;
    await page.getByRole('button', { name: 'Search' }).click();
    await rowsOf(older).nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Load more' }).press('Enter');
    await page.waitForFunction(() => document.activeElement?.textContent === 'That is all.');
    assert.equal(await rowsOf(newer).count(), 2);
    await page.getByLabel('Account id').fill('no account');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('alert').getByText('invalid_request').waitFor();
    assert.equal(await page.locator('tbody tr').count(), 0);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
