import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

describe('the focus', () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });

  it('is where it was after a dialog, also when that led to another one', async () => {
    const { key } = await world.makeAccount('Keys Only');
    const { id } = await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, key);
    const page = await world.open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/endpoints/${id}`);
    const rotate = page.getByRole('button', { name: 'Rotate the secret' });
    await rotate.press('Enter');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Rotate the secret');
    await rotate.press('Enter');
    await page.getByRole('button', { name: 'Make a new secret' }).press('Enter');
    await page.getByRole('button', { name: 'Copy the secret' }).press('Enter');
    // The news is shown in the dialog, where a screen reader reads it out.
    await page.getByRole('dialog').getByText('Copied: the secret.').waitFor();
    await page.getByRole('button', { name: 'I have put it in a safe place' }).press('Enter');
    await expectFocus(page, 'Rotate the secret');
  });

  it('is in the first field of a dialog, and on nothing that closes one in which something is shown once', async () => {
    const page = await world.open();
    await signIn(page, world.gateway.dev.platform_key);
    await page.getByRole('button', { name: 'Create an account' }).press('Enter');
    await page.keyboard.type('Blind Typist');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Blind Typist' }).waitFor();
    await page.getByRole('button', { name: 'Make a key' }).press('Enter');
    await page.keyboard.type('The shop');
    await page.keyboard.press('Enter');
    const secret = page.getByRole('dialog').getByText(/^wp_test_/);
    await secret.waitFor();
    // Somebody who has pressed the key a moment too long has not put the secret in a safe place yet.
    for (const again of ['Enter', 'Space', ...Array(5).fill('Escape')]) await page.keyboard.press(again);
    assert.ok(await secret.isVisible());
    await page.getByRole('button', { name: 'I have put it in a safe place' }).press('Enter');
    await expectFocus(page, 'Make a key');
  });

  it('is at the heading of the page after a dialog when what it came from is gone', async () => {
    const { id } = await world.makeAccount('Gone Key');
    const page = await world.open();
    await signIn(page, world.gateway.dev.platform_key);
    await page.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    await page.getByRole('button', { name: 'Revoke Console' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await page.getByText('No keys').waitFor();
    await expectFocus(page, 'Gone Key');
  });

  it('stays at the button that was pressed, while its call is under way and after it', async () => {
    const { id, key } = await world.makeAccount('Patient Presser');
    const endpoint = await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, key);
    const page = await world.open();
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/endpoints/${endpoint.id}`);
    await page.getByRole('button', { name: 'Send a test event' }).press('Enter');
    await page.getByRole('dialog', { name: 'The test event' }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Send a test event');
    const operator = await world.open();
    await signIn(operator, world.gateway.dev.platform_key);
    await operator.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    await operator.getByRole('button', { name: 'New token' }).press('Enter');
    await operator.getByRole('textbox', { name: 'Access token' }).fill('refused');
    const submit = operator.getByRole('dialog').getByRole('button', { name: 'Change' });
    await submit.press('Enter');
    await operator.getByText('The provider refused the channel').waitFor();
    assert.equal(await submit.evaluate((button) => button === document.activeElement), true);
  });

  it('stays at its message, however many come in above', async () => {
    const { key } = await world.makeAccount('Busy Hands');
    const send = (to: string[]) =>
      world.call('POST', '/api/v1/messages/send', { to, type: 'text', text: { body: 'Hello' } }, key);
    await send(['+447700900181', '+447700900182', '+447700900183']);
    const page = await world.open();
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/messages`);
    await page.getByText('Live', { exact: true }).waitFor();
    const link = page.getByRole('row', { name: /\+447700900182/ }).getByRole('link');
    await link.focus();
    await send(Array.from({ length: 50 }, (_, place) => `+4477009${String(20_000 + place)}`));
    await page.getByText('53 listed').waitFor();
    await page.getByRole('button', { name: /^↑ [0-9]+ new$/ }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), '+447700900182');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
  });

  it('is seen at a message of the list, on all sides', async () => {
    const { key } = await world.makeAccount('Sharp Eyes');
    const send = { to: ['+447700900181', '+447700900182'], type: 'text', text: { body: 'Hello' } };
    await world.call('POST', '/api/v1/messages/send', send, key);
    const page = await world.open();
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/messages`);
    await page.getByRole('row', { name: /\+447700900181/ }).waitFor();
    await page.getByRole('table', { name: 'Messages' }).getByLabel('Rows').focus();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await page.keyboard.press('Tab');
      const hidden = await page.evaluate(() => {
        const link = document.activeElement;
        if (!link?.matches('.message-row a')) return ['no message has the focus'];
        const { outlineWidth, outlineOffset } = getComputedStyle(link);
        const reach = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
        const ring = link.getBoundingClientRect();
        const hiding: string[] = [];
        for (let around = link.parentElement; around !== null; around = around.parentElement) {
          if (getComputedStyle(around).overflow === 'visible') continue;
          const { left, top, right, bottom } = around.getBoundingClientRect();
          if (
            ring.left - reach < left ||
            ring.right + reach > right ||
            ring.top - reach < top ||
            ring.bottom + reach > bottom
          )
            hiding.push(around.className);
        }
        return hiding;
      });
      assert.deepEqual(hidden, [], `${width} wide`);
    }
  });

  it('stays in the list when its message is scrolled out of view, so that the keyboard goes on scrolling', async () => {
    const { key } = await world.makeAccount('Far Reader');
    for (const hundred of [0, 100]) {
      const to = Array.from({ length: 50 }, (_, place) => `+4477009${String(30_000 + hundred + place)}`);
      await world.call('POST', '/api/v1/messages/send', { to, type: 'text', text: { body: 'Hello' } }, key);
    }
    const page = await world.open();
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/messages`);
    // Until the page of the list has come, whatever has changed meanwhile stands at the top.
    const first = page.getByRole('row', { name: /\+447700930149/ }).getByRole('link');
    await first.focus();
    const last = page.getByRole('row', { name: /\+447700930000/ });
    for (let presses = 0; presses < 30 && !(await last.isVisible()); presses++) {
      const before = await scrolledTo(page);
      await page.keyboard.press('PageDown');
      await page.waitForFunction((top) => document.querySelector('.message-rows')?.scrollTop !== top, before);
    }
    await last.waitFor();
    assert.equal(await first.count(), 0, 'the first row is no longer drawn');
    assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Rows');
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

/** Waits until there is no dialog, and the element with this text has the focus. */
async function expectFocus(page: Page, text: string): Promise<void> {
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.waitForFunction((wanted) => document.activeElement?.textContent?.trim() === wanted, text);
}

/** How far the list of messages is scrolled. */
function scrolledTo(page: Page): Promise<number> {
  return page.locator('.message-rows').evaluate((rows) => rows.scrollTop);
}
