import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { letThrough } from './support/let-through.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

describe('what is asked for twice by mistake', () => {
  let world: World;
  let page: Page;
  let key: string;
  before(async () => {
    world = await sharedWorld();
    ({ key } = await world.makeAccount('Twice Tea'));
    page = await world.open();
    await signIn(page, key);
  });

  it('is sent once: a double click, also where the answer is quicker than the second click', async () => {
    const to = '+447700900161';
    await write(page, to);
    const button = page.getByRole('button', { name: 'Send to the sandbox' });
    await button.click();
    await page.getByRole('heading', { name: '1 accepted, 0 failed, 0 unknown' }).waitFor();
    await button.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await button.textContent().then((text) => text?.trim()), 'Send to the sandbox');
    assert.equal(await countSends(world, key, to), 1);
  });

  it('is sent once: Send, when no answer came to the same before', async () => {
    const to = '+447700900162';
    await write(page, to);
    await page.route('**/messages/send', loseAnswer, { times: 1 });
    const button = page.getByRole('button', { name: 'Send to the sandbox' });
    await button.click();
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await button.click();
    await page.getByText('This is the answer of the first try').waitFor();
    assert.equal(await countSends(world, key, to), 1);
  });

  it('is sent once: Send, when no answer came and another page was looked at meanwhile', async () => {
    const to = '+447700900164';
    await write(page, to);
    await page.getByLabel('Client reference').fill('order-42');
    await page.route('**/messages/send', loseAnswer, { times: 1 });
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await openPage(page, 'Messages');
    await openPage(page, 'Send');
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    assert.equal(await page.getByLabel('Client reference').inputValue(), 'order-42');
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await page.getByText('This is the answer of the first try').waitFor();
    assert.equal(await countSends(world, key, to), 1);
  });

  it('is sent once: Send, when something between has refused what the gateway had carried out', async () => {
    const to = '+447700900168';
    await write(page, to);
    const button = page.getByRole('button', { name: 'Send to the sandbox' });
    const refuse = (status: number) => async (route: Route) => {
      if (status === 408) await route.fetch();
      await route.fulfill({ status, body: '' });
    };
    for (const status of [408, 403]) {
      await page.route('**/messages/send', refuse(status), { times: 1 });
      await button.click();
      await page.getByRole('alert').getByText(`http_${status}`).waitFor();
    }
    await button.click();
    await page.getByText('This is the answer of the first try').waitFor();
    assert.equal(await countSends(world, key, to), 1);
  });

  it('is sent once: what is under way while another page is looked at, and its answer is shown', async () => {
    const to = '+447700900165';
    await write(page, to);
    const left = Promise.withResolvers<void>();
    const pass = async (route: Route) => {
      await left.promise;
      await route.continue();
    };
    await page.route('**/messages/send', pass, { times: 1 });
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await openPage(page, 'Messages');
    await openPage(page, 'Send');
    assert.ok(await page.getByRole('button', { name: 'Sending…' }).isDisabled());
    left.resolve();
    await page.getByRole('heading', { name: '1 accepted, 0 failed, 0 unknown' }).waitFor();
    assert.equal(await countSends(world, key, to), 1);
  });

  it('is not kept once it was answered, nor for whoever signs in next', async () => {
    await write(page, '+447700900166');
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await page.getByRole('heading', { name: '1 accepted, 0 failed, 0 unknown' }).waitFor();
    await openPage(page, 'Messages');
    await openPage(page, 'Send');
    const to = page.getByLabel('To', { exact: true });
    assert.equal(await to.inputValue(), '');
    await to.fill('+447700900167');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, key);
    await openPage(page, 'Send');
    assert.equal(await to.inputValue(), '');
  });

  it('is sent anew when it was answered, or is another text', async () => {
    const to = '+447700900163';
    await write(page, to);
    const button = page.getByRole('button', { name: 'Send to the sandbox' });
    await button.click();
    await page.getByRole('heading', { name: '1 accepted, 0 failed, 0 unknown' }).waitFor();
    await page.route('**/messages/send', loseAnswer, { times: 1 });
    await button.click();
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await page.getByLabel('Text', { exact: true }).last().fill('Something else');
    await button.click();
    await page.getByRole('heading', { name: '1 accepted, 0 failed, 0 unknown' }).waitFor();
    assert.equal(await countSends(world, key, to), 3);
  });

  it('may have been made already: an endpoint whose answer was lost, or for which a proxy has answered', async () => {
    const create = async () => {
      await page.getByRole('button', { name: 'Create an endpoint' }).click();
      await page.getByLabel('Address').fill(world.endpointUrl);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
    };
    await openPage(page, 'Endpoints');
    const dialog = page.getByRole('dialog');
    const told = dialog.getByRole('alert').getByText('It is not known whether that was done.');
    await page.route('**/api/v1/endpoints', loseAnswer, { times: 1 });
    await create();
    await told.waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.route('**/api/v1/endpoints', (route) => route.fulfill({ status: 504, body: '' }), { times: 1 });
    await create();
    await told.waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // A gateway says itself what was done.
    const json = { code: 'unavailable', title: 'Not now', detail: 'The store cannot be reached.' };
    await page.route('**/api/v1/endpoints', (route) => route.fulfill({ status: 503, json }), { times: 1 });
    await create();
    await dialog.getByRole('alert').getByText('Nothing was done.').waitFor();
    assert.equal(await told.count(), 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    const { data } = await world.call('GET', '/api/v1/endpoints', undefined, key);
    assert.equal(Array.isArray(data) && data.length, 1);
  });

  it('is made once: a change, a secret, an account, a key, by a double click', async () => {
    const { id } = await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, key);
    await page.goto(`${world.gateway.dev.console_url}#/endpoints/${id}`);
    assert.equal(await callsOfDoubleClick(page, 'Disable', page.getByRole('main')), 1);
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    assert.equal(await callsOfDoubleClick(page, 'Make a new secret'), 1);
    await page.getByRole('button', { name: 'I have put it in a safe place' }).click();
    await page.route('**/test', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Send a test event' }).click();
    assert.equal(await callsOfDoubleClick(page, 'Try again'), 1);
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.route('**/templates/sync', (route) => route.abort(), { times: 1 });
    await openPage(page, 'Templates');
    await page.getByRole('button', { name: 'Read from the provider now' }).click();
    assert.equal(await callsOfDoubleClick(page, 'Try again', page.getByRole('main')), 1);
    const operator = await world.open();
    await signIn(operator, world.gateway.dev.platform_key);
    await operator.getByRole('button', { name: 'Create an account' }).click();
    await operator.getByLabel('Name').fill('Once Books');
    assert.equal(await callsOfDoubleClick(operator, 'Create'), 1);
    await operator.getByRole('heading', { level: 1, name: 'Once Books' }).waitFor();
    await operator.getByRole('button', { name: 'Make a key' }).click();
    await operator.getByLabel('Name').fill('Backend');
    assert.equal(await callsOfDoubleClick(operator, 'Make the key'), 1);
    await operator.getByRole('button', { name: 'I have put it in a safe place' }).click();
    await operator.getByRole('button', { name: 'Roll Backend' }).click();
    assert.equal(await callsOfDoubleClick(operator, 'Roll the key'), 1);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

/** Fills in a text that can be sent. */
async function write(page: Page, to: string): Promise<void> {
  await openPage(page, 'Overview');
  await openPage(page, 'Send');
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByLabel('Text', { exact: true }).last().fill('Your parcel is here');
  await page.getByText('1 of 1 can be sent').waitFor();
}

/** How many calls a double click makes if the answer to the first one comes after the second click. */
async function callsOfDoubleClick(page: Page, name: string, part = page.getByRole('dialog')): Promise<number> {
  let calls = 0;
  const clicked = Promise.withResolvers<void>();
  await page.route('**/v1/**', async (route) => {
    if (route.request().method() !== 'GET') {
      calls += 1;
      await clicked.promise;
    }
    await route.continue();
  });
  const button = part.getByRole('button', { name, exact: true });
  await button.dblclick();
  clicked.resolve();
  await button.waitFor({ state: 'detached' });
  await letThrough(page);
  return calls;
}

async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

async function countSends(world: World, key: string, to: string): Promise<number> {
  const { data } = await world.call('GET', `/api/v1/messages?to=${encodeURIComponent(to)}`, undefined, key);
  return Array.isArray(data) ? data.length : 0;
}
