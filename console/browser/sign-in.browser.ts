import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { letThrough } from './support/let-through.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

describe('the sign-in', () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await sharedWorld();
    ({ key } = await world.makeAccount('Early Bird'));
  });

  it('says that it is the key, and not the connection, when more than the key was copied', async () => {
    const page = await world.open();
    for (const copied of [`“${key}”`, `${key}\u200b`, `Bearer ${key}`]) {
      await page.getByLabel('API key').fill(copied);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('This is no key').waitFor();
      await page.getByLabel('API key').fill('');
    }
    await signIn(page, ` ${key}\n`);
  });

  it('works in a browser that keeps nothing', async () => {
    const page = await world.open();
    await page.addInitScript(() => {
      Object.defineProperty(window, 'sessionStorage', {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    });
    await page.reload();
    await signIn(page, key);
    await openPage(page, 'Messages');
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('is not shown to whoever is signed in and asks a gateway again that was away', async () => {
    const page = await world.open();
    await signIn(page, key);
    await page.route('**/api/v1/account', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await letThrough(page);
    const shown = await watchForSignIn(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('navigation').waitFor();
    assert.equal(await shown(), false);
  });

  it('is reached by signing out although the gateway is away, and the key is forgotten', async () => {
    const page = await world.open();
    await signIn(page, key);
    await page.route('**/api/v1/account', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await letThrough(page);
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('is reached by signing out although the gateway hangs, and a late answer signs nobody in', async () => {
    const page = await world.open();
    await signIn(page, key);
    const late = Promise.withResolvers<void>();
    await page.route('**/api/v1/account', async (route) => {
      await late.promise;
      await route.continue();
    });
    const asked = page.waitForRequest('**/api/v1/account');
    await page.reload();
    await page.getByText('Asking the gateway').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    late.resolve();
    await (await (await asked).response())?.finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('says that the gateway cannot be reached when it hangs', async () => {
    const page = await world.open();
    await page.clock.install();
    await page.route('**/api/v1/account', () => {});
    const asked = page.waitForRequest('**/api/v1/account');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await asked;
    await page.clock.fastForward(61_000);
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
  });

  it('is not asked for again because of what is said of the key before', async () => {
    const [before, next] = [await world.makeAccount('Before'), await world.makeAccount('Next')];
    const page = await world.open();
    await signIn(page, before.key);
    const late = Promise.withResolvers<void>();
    const refused = { status: 401, json: { code: 'invalid_api_key', title: 'Refused', detail: 'No.' } };
    await page.route('**/api/v1/templates?*', async (route) => {
      await late.promise;
      await route.fulfill(refused);
    });
    const asked = page.waitForRequest('**/api/v1/templates?*');
    await openPage(page, 'Templates');
    const request = await asked;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, next.key);
    late.resolve();
    await request.response();
    await openPage(page, 'Channels');
    await page.getByText('+1555').first().waitFor();
  });

  it('leaves no way back to the page that somebody signed out from', async () => {
    const page = await world.open();
    await signIn(page, world.gateway.dev.test_key);
    await openPage(page, 'Channels');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    assert.match(page.url(), /#\/$/);
    await page.goBack();
    assert.doesNotMatch(page.url(), /channels/);
  });

  it('begins anew for whoever comes next, also where a key has expired', async () => {
    const [before, next] = [await world.makeAccount('Looked'), await world.makeAccount('Looks')];
    const page = await world.open();
    await signIn(page, before.key);
    await openPage(page, 'Messages');
    await page.getByLabel('Search', { exact: true }).fill('+447700900199');
    await page.keyboard.press('Enter');
    await page.getByText('No message fits the filter').waitFor();
    const { platform_key: platformKey } = world.gateway.dev;
    await world.call('DELETE', `/platform/v1/accounts/${before.id}`, undefined, platformKey);
    await page.getByText('Your key is not valid any more').waitFor();
    await signIn(page, next.key);
    await page.getByText('No messages yet').waitFor();
    assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), '');
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

/** Returns a function that says whether a field for a key has been shown since, however shortly. */
async function watchForSignIn(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => {
    const look = () => document.querySelector('input[type=password]') && Reflect.set(window, 'wasAsked', true);
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => Reflect.get(window, 'wasAsked') === true);
}
