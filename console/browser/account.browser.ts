import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

describe('the console of an account', () => {
  let world: World;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    page = await world.open();
  });

  it('is there within a second, and weighs less than 300 kB', async () => {
    let load = await loadOf(page);
    // Other tests use the machine too, so the best of a few loads counts.
    for (let more = 4; more > 0 && load.ms >= 1_000; more--) {
      await page.reload();
      load = await loadOf(page);
    }
    assert.ok(load.bytes > 50_000 && load.bytes < 300_000, `${load.bytes} bytes`);
    assert.ok(load.ms < 1_000, `${load.ms} ms`);
  });

  it('tells what is wrong with a key that is not valid, and keeps nothing of it', async () => {
    await page.getByLabel('API key').fill('wp_test_ThisKeyIsNotOneOfOursAtAll0123456789');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('invalid_api_key').waitFor();
    assert.deepEqual(await page.evaluate(() => [sessionStorage.length, localStorage.length]), [0, 0]);
  });

  it('keeps the key in the tab and in no address, and says what to do where nothing is yet', async () => {
    await signIn(page, world.gateway.dev.test_key);
    await page.getByText('Nothing was sent or received in this time').waitFor();
    await page.getByText('Test mode: messages go to the sandbox').waitFor();
    await openPage(page, 'Messages');
    await page.getByRole('link', { name: 'Send the first one' }).waitFor();
    await openPage(page, 'Requests');
    await page.getByText('No requests yet').waitFor();
    await openPage(page, 'Endpoints');
    await page.getByText('No endpoint yet').waitFor();
    assert.doesNotMatch(page.url(), /wp_/);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
  });

  it('creates an endpoint, shows its secret once and does not lose it by mistake, and tests it', async () => {
    await page.getByRole('button', { name: 'Create an endpoint' }).click();
    await page.getByLabel('Address').fill('http://192.0.2.1/events');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').getByText('invalid_request').waitFor();
    await page.getByLabel('Address').fill(world.endpointUrl);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText(/^whsec_/).waitFor();
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have put it in a safe place' }).click();
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: world.endpointUrl }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('It answered with 200.').waitFor();
    await page.getByText('Thank you').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
  });

  it('shows that an endpoint was disabled meanwhile', async () => {
    const account = await world.makeAccount('Gone Ear');
    const { id } = await world.call('POST', '/api/v1/endpoints', { url: `${world.endpointUrl}?gone` }, account.key);
    const other = await world.open();
    await signIn(other, account.key);
    await other.goto(`${world.gateway.dev.console_url}#/endpoints/${id}`);
    await other.getByText('Live', { exact: true }).waitFor();
    await other.getByText('enabled', { exact: true }).waitFor();
    await world.call(
      'POST',
      '/api/v1/messages/send',
      { to: '+447700900123', type: 'text', text: { body: 'Hello' } },
      account.key,
    );
    await other.getByText('disabled', { exact: true }).waitFor();
  });

  it('does not call anybody back from another page by a late answer', async () => {
    const { other, answer } = await deleteAndClose('Gone On', (route) => route.continue());
    await openPage(other, 'Send');
    answer();
    await other.getByText('The endpoint is deleted.').waitFor();
    await other.evaluate(() => new Promise(requestAnimationFrame));
    assert.match(other.url(), /#\/send$/);
  });

  it('tells of a failure although the question was closed meanwhile', async () => {
    const { other, answer } = await deleteAndClose('Not Gone', (route) => route.abort());
    answer();
    await other.getByText('Delete this endpoint? The gateway cannot be reached').waitFor();
  });

  it('keeps a secret on the screen, also when somebody goes back or has gone on', async () => {
    const { key } = await world.makeAccount('Wanderer');
    const other = await world.open();
    await signIn(other, key);
    await openPage(other, 'Endpoints');
    const secret = other.getByText(/^whsec_/);
    const create = async () => {
      await other.getByRole('button', { name: 'Create an endpoint' }).click();
      await other.getByLabel('Address').fill(world.endpointUrl);
      await other.getByRole('button', { name: 'Create', exact: true }).click();
    };
    await create();
    await secret.waitFor();
    await other.goBack();
    await other.getByRole('heading', { level: 1, name: 'Overview', includeHidden: true }).waitFor();
    assert.ok(await secret.isVisible());
    await other.getByRole('button', { name: 'I have put it in a safe place' }).click();
    await secret.waitFor({ state: 'detached' });
    await openPage(other, 'Endpoints');
    const late = Promise.withResolvers<void>();
    await other.route('**/api/v1/endpoints', async (route) => {
      await late.promise;
      await route.continue();
    });
    await create();
    await other.keyboard.press('Escape');
    await openPage(other, 'Send');
    late.resolve();
    await secret.waitFor();
  });

  it('shows a secret to nobody who has signed in since', async () => {
    const [before, next] = [await world.makeAccount('Gone Home'), await world.makeAccount('Next Shift')];
    const other = await world.open();
    await signIn(other, before.key);
    await openPage(other, 'Endpoints');
    const late = Promise.withResolvers<void>();
    await other.route('**/api/v1/endpoints', async (route) => {
      await late.promise;
      await route.continue();
    });
    await other.getByRole('button', { name: 'Create an endpoint' }).click();
    await other.getByLabel('Address').fill(world.endpointUrl);
    const created = other.waitForResponse('**/api/v1/endpoints');
    await other.getByRole('button', { name: 'Create', exact: true }).click();
    await other.keyboard.press('Escape');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signIn(other, next.key);
    late.resolve();
    await (await created).finished();
    await other.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await other.getByText(/^whsec_/).count(), 0);
  });

  it('checks a send as it is typed, and shows what is wrong at its field', async () => {
    await openPage(page, 'Send');
    await page.getByLabel('To', { exact: true }).fill('0770');
    await page.getByLabel('Text', { exact: true }).last().fill('Your parcel is *here*');
    await page.getByText('0 of 1 can be sent').waitFor();
    assert.equal(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid'), 'true');
    await page.getByLabel('To', { exact: true }).fill('+447700900123, +15550131026');
    await page.getByText('2 of 2 can be sent').waitFor();
    assert.equal(await page.locator('.phone .bold').textContent(), 'here');
  });

  it('sends, tells what became of each, and follows them while one looks', async () => {
    await page.getByLabel('Client reference').fill('order-1042');
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await page.getByRole('heading', { name: '1 accepted, 1 failed, 0 unknown' }).waitFor();
    const reached = page.getByRole('row', { name: /\+447700900123/ });
    await reached.getByText('accepted').first().waitFor();
    await reached.getByText('read', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /\+15550131026/ })
      .getByText('recipient_unreachable')
      .waitFor();
  });

  it('draws the timeline of a message, with its events and their deliveries', async () => {
    await page.getByRole('link', { name: '+447700900123' }).click();
    const steps = page.locator('.timeline li');
    await page.waitForFunction(() => document.querySelectorAll('.timeline li').length === 4);
    assert.deepEqual(
      (await steps.locator('.status').allTextContents()).map((text) => text.replace(/[^a-z]/g, '')),
      ['accepted', 'sent', 'delivered', 'read'],
    );
    await page.getByText('message.read').waitFor();
    await page.getByRole('link', { name: world.endpointUrl }).first().waitFor();
  });

  it('lists messages as they come, and finds them by number, reference and id', async () => {
    await openPage(page, 'Messages');
    await page.getByRole('row', { name: /\+15550131026/ }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByLabel('Search', { exact: true }).fill('order-1043');
    await page.keyboard.press('Enter');
    await page.getByText('No message fits the filter').waitFor();
    assert.equal(asked.filter((url) => url.includes('order-1043')).length, 1);
    const body = { to: '+447700900145', type: 'text', text: { body: 'Hello' }, client_reference: 'order-1043' };
    await world.call('POST', '/api/v1/messages/send', body);
    await page
      .getByRole('row', { name: /\+447700900145/ })
      .getByText('read', { exact: true })
      .waitFor();
    assert.equal(await page.getByRole('row', { name: /\+447700900123/ }).count(), 0);
  });

  it('fills a template, shows it as on a phone, and points at the field that is missing', async () => {
    await openPage(page, 'Templates');
    await page.getByRole('button', { name: 'Read from the provider now' }).click();
    await page.getByText(/^Read [1-9][0-9]* templates: 0 new, 0 changed, 0 gone\.$/).waitFor();
    await page.getByRole('link', { name: 'promo_image' }).click();
    await page.getByRole('link', { name: 'Send it' }).click();
    await page.getByLabel('To', { exact: true }).fill('+447700900123');
    await page.getByText('0 of 1 can be sent').or(page.getByText('The request is not valid')).waitFor();
    await page.getByLabel('Header: link of the image').fill('https://images.example/sale.jpg');
    await page.getByLabel('Body: 1').fill('Grace');
    await page.getByLabel(/end of the link/).fill('grace');
    await page.getByText('1 of 1 can be sent').waitFor();
    await page.locator('.phone').getByText('Dear Grace, our sale has begun.').waitFor();
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await page.getByRole('heading', { name: '1 accepted, 0 failed, 0 unknown' }).waitFor();
  });

  it('shows what was counted, in charts that are tables too', async () => {
    await openPage(page, 'Overview');
    await page.getByRole('heading', { name: 'How far they came' }).waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'recipient_unreachable' }).waitFor();
    assert.equal(await page.locator('.u-wrap canvas').count(), 3);
    assert.deepEqual(await edgesTouched(page), [], 'no title of an axis is cut');
    assert.equal(await page.locator('main li:empty').count(), 0, 'a screen reader counts no entry that is not there');
    await page.getByText('The same as a table').first().click();
    await page.getByRole('columnheader', { name: 'Accepted' }).waitFor();
    await page.getByRole('combobox', { name: 'Time' }).selectOption('From … to …');
    await page.getByLabel('To', { exact: true }).fill('2026-01-02T00:00');
    await page.getByText('From 01 Jan 2026, 00:00:00 to 02 Jan 2026, 00:00:00').waitFor();
    // What was counted for another time is not shown below the refusal of this one.
    await page.getByLabel('From', { exact: true }).fill('2026-02-02T00:00');
    await page.getByRole('alert').getByText('invalid_request').waitFor();
    assert.equal(await page.getByText('From 01 Jan 2026').count(), 0);
  });

  it('signs out with a sentence when the key is revoked meanwhile', async () => {
    const { dev } = world.gateway;
    const keys = `/platform/v1/accounts/${dev.account_id}/keys`;
    const made = await world.call('POST', keys, { name: 'Short-lived', mode: 'test' }, dev.platform_key);
    const other = await world.open();
    await signIn(other, String(made.key));
    await openPage(other, 'Templates');
    await world.call('DELETE', `/platform/v1/keys/${made.id}`, undefined, dev.platform_key);
    await other.getByText('Your key is not valid any more').waitFor();
    await other.getByLabel('API key').waitFor();
    assert.equal(await other.evaluate(() => sessionStorage.length), 0);
  });

  /** Asks for an endpoint to be deleted, and closes the question before `answer` lets `carryOn` happen to the call. */
  async function deleteAndClose(account: string, carryOn: (route: Route) => Promise<void>) {
    const { key } = await world.makeAccount(account);
    const { id } = await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, key);
    const other = await world.open();
    await signIn(other, key);
    await other.goto(`${world.gateway.dev.console_url}#/endpoints/${id}`);
    await other.getByRole('button', { name: 'Delete' }).click();
    const late = Promise.withResolvers<void>();
    await other.route(`**/api/v1/endpoints/${id}`, async (route) => {
      await late.promise;
      await carryOn(route);
    });
    await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await other.keyboard.press('Escape');
    return { other, answer: late.resolve };
  }

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

/** The captions of the charts whose lines touch the upper or the lower edge of their canvas. */
function edgesTouched(page: Page): Promise<string[]> {
  return page.locator('.chart:has(canvas)').evaluateAll((charts) => {
    const isTouched = ({ width, height }: HTMLCanvasElement, pixels: Uint8ClampedArray | undefined) => {
      const row = width * 4;
      return [0, (height - 1) * row].some((start) => pixels?.subarray(start, start + row).some((value) => value !== 0));
    };
    return [...charts].flatMap((chart) => {
      const canvas = chart.querySelector('canvas');
      // Read once, and as a whole: at a second read the browser complains that this is slow.
      const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
      return canvas && isTouched(canvas, pixels) ? [chart.querySelector('figcaption')?.textContent ?? ''] : [];
    });
  });
}

/** How long it took until the last file of the page was there, and how many bytes all files have. */
function loadOf(page: Page): Promise<{ ms: number; bytes: number }> {
  return page.evaluate(() => {
    const files = performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'));
    const sizes = files.map((file) => Number(Reflect.get(file, 'decodedBodySize')));
    const ends = files.map((file) => Number(Reflect.get(file, 'responseEnd')));
    return { ms: Math.max(...ends), bytes: sizes.reduce((sum, size) => sum + size, 0) };
  });
}
