import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { findBarriers } from './support/find-barriers.ts';
import { findBrokenWords } from './support/find-broken-words.ts';
import { accountPages, operatorPages } from './support/pages.ts';
import { type Seeded, seed } from './support/seed.ts';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const WIDE = { width: 1280, height: 800 };
/** At this width tables are just not shown as cards. */
const MIDDLE = { width: 1001, height: 800 };
const NARROW = { width: 360, height: 740 };
/** A word without a place to break it. No page may become wider than the screen because of it. */
const LONG = 'x'.repeat(150);

describe('every page of the console', () => {
  let world: World;
  let seeded: Seeded;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    seeded = await seed(world, LONG);
    page = await world.open();
  });

  it('has no barrier, light and wide or dark and narrow: the sign-in', () => look('the sign-in'));

  it('has none: the pages of an account', async () => {
    await signIn(page, seeded.key);
    for (const [path, shown] of accountPages(seeded)) await visit(path, shown);
  });

  it('shows how long its bars are, also where the colours of the person are forced on it', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    for (const [path, bar] of [
      ['overview', '.bar'],
      [`messages/${seeded.readId}`, '.timeline-bar'],
    ] as const) {
      await page.goto(`${world.gateway.dev.console_url}#/${path}`);
      const colour = await page
        .locator(bar)
        .first()
        .evaluate((bar) => getComputedStyle(bar).backgroundColor);
      // The background is the colour of the page there, unless the bar has been told otherwise.
      assert.equal(colour, await page.evaluate(() => getComputedStyle(document.body).color), path);
    }
    await page.emulateMedia({ forcedColors: 'none' });
  });

  it('has none: a template with cards, and a send with faults and with an answer', async () => {
    await page.goto(`${world.gateway.dev.console_url}#/templates`);
    await page.getByRole('link', { name: 'carousel_two' }).click();
    await page.locator('.phone-cards').waitFor();
    await look('a template');
    await page.getByRole('link', { name: 'Send it' }).click();
    await page.getByLabel('To', { exact: true }).fill('0770');
    await page.getByText('0 of 1 can be sent').or(page.getByText('The request is not valid')).waitFor();
    await look('a send with faults');
    await page.getByLabel('Text', { exact: true }).first().check();
    await page.getByLabel('To', { exact: true }).fill(`+15550131026,${LONG}`);
    await page.getByLabel('Text', { exact: true }).last().fill('Hello');
    await page.getByRole('button', { name: 'Send to the sandbox' }).click();
    await page.locator('.results').waitFor();
    await look('a send with its answer');
  });

  it('has none: dialogs', async () => {
    await page.goto(`${world.gateway.dev.console_url}#/endpoints/${seeded.endpointId}`);
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await look('a question');
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await look('a secret');
    await page.keyboard.press('Escape');
    assert.ok(await page.getByText(/^whsec_/).isVisible(), 'what is shown once is not lost by a slip');
    await page.getByRole('button', { name: 'I have put it in a safe place' }).click();
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' });
  });

  it("has none: the operator's pages", async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, world.gateway.dev.platform_key);
    for (const [path, shown] of operatorPages(seeded)) await visit(path, shown);
    await page.getByRole('button', { name: 'Make a key' }).click();
    await look('a new key');
    await page.keyboard.press('Escape');
  });

  it('has room for what a message says, and for the names of the columns, on each width', async () => {
    const reader = await world.open();
    await signIn(reader, seeded.key);
    await reader.goto(`${world.gateway.dev.console_url}#/messages`);
    await reader.locator('.message-drawn .message-row').first().waitFor();
    for (const width of [360, 761, 834, 1000, 1001, 1280]) {
      await reader.setViewportSize({ width, height: 800 });
      const said = reader.getByText('Your book has *arrived*').first();
      await until(async () => ((await said.boundingBox())?.width ?? 0) > 80);
      const cut = await reader.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('.message-head [role=columnheader]')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ innerText }) => innerText),
      );
      assert.deepEqual(cut, [], `${width} wide`);
    }
  });

  it('shows the whole of a time that is typed', async () => {
    const page = await world.open({ viewport: NARROW });
    await signIn(page, seeded.key);
    await page.getByRole('form', { name: 'Time' }).getByRole('combobox').selectOption('From … to …');
    const { width = 0 } = (await page.getByLabel('From', { exact: true }).boundingBox()) ?? {};
    // What the browser itself would give the field, which has to show a date and a time.
    const needed = await page.evaluate(() => {
      const field = Object.assign(document.createElement('input'), { type: 'datetime-local' });
      field.style.width = 'auto';
      document.querySelector('form')?.append(field);
      const { width } = field.getBoundingClientRect();
      field.remove();
      return width;
    });
    assert.ok(width >= needed, `${width} of ${needed}`);
  });

  it('shows in the menu of a narrow screen where one is, also when one came by a link', async () => {
    const narrow = await world.open({ viewport: NARROW });
    await signIn(narrow, seeded.key);
    for (const name of ['Channels', 'Overview']) {
      await narrow.goto(`${world.gateway.dev.console_url}#/${name.toLowerCase()}`);
      const link = narrow.getByRole('navigation').getByRole('link', { name, exact: true });
      await until(async () => {
        const box = await link.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= NARROW.width;
      });
    }
  });

  it('lets nobody press a button through the news that lies on it', async () => {
    const phone = await world.open({ viewport: NARROW });
    await signIn(phone, seeded.key);
    await phone.goto(`${world.gateway.dev.console_url}#/messages/${seeded.readId}`);
    await phone.locator('.events li').first().waitFor();
    // As on a page without https, where the news is as long as it gets.
    await phone.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await phone.getByRole('button', { name: 'Copy the message id' }).click();
    const news = phone.locator('.toast');
    await news.waitFor();
    const button = phone.getByRole('button', { name: 'Show UTC' });
    await button.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    await phone.mouse.click(x + width / 2, y + height / 2);
    await news.waitFor({ state: 'detached', timeout: 2_000 });
    assert.ok(await button.isVisible(), 'it was not pressed');
    await phone.mouse.click(x + width / 2, y + height / 2);
    await button.waitFor({ state: 'detached' });
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  async function visit(path: string, shown: string): Promise<void> {
    await page.goto(`${world.gateway.dev.console_url}#/${path}`);
    await page.locator(shown).first().waitFor();
    await look(path);
  }

  /** Looks at what is shown in light colours on a wide screen, and in dark ones on a narrow screen. */
  async function look(name: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize(WIDE);
    assert.deepEqual(await findBarriers(page), [], `${name}, light and wide`);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize(NARROW);
    assert.deepEqual(await findBarriers(page), [], `${name}, dark and narrow`);
    for (const size of [NARROW, MIDDLE, WIDE]) {
      await page.setViewportSize(size);
      const content = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(content, size.width, `${name} is no wider than the screen`);
      assert.deepEqual(await findBrokenWords(page), [], `${name} breaks no word of its own, ${size.width} wide`);
    }
  }
});
