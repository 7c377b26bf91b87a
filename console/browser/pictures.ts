import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { dayOfStatistics } from './support/day-of-statistics.ts';
import { type Seeded, seed } from './support/seed.ts';
import { signIn } from './support/sign-in.ts';
import { startWorld, type World } from './support/world.ts';

/** Takes the pictures of the docs, with a made-up bookshop in them. */
const FOLDER = join(import.meta.dirname, '../../docs/pictures');
const NARROW = { width: 360, height: 740 };

mkdirSync(FOLDER, { recursive: true });
const world = await startWorld();
try {
  const seeded = await seed(world);
  await takeAccount(world, seeded);
  await takeOperator(world, seeded);
} finally {
  await world.stop();
}

async function takeAccount(world: World, { key, readId, failedId }: Seeded): Promise<void> {
  const page = await world.open({ viewport: { width: 1180, height: 760 } });
  // A gateway that has just started has no statistics of yesterday to draw.
  await page.route('**/api/v1/statistics*', (route) => route.fulfill({ json: dayOfStatistics(Date.now()) }));
  await signIn(page, key);
  await page.locator('.u-wrap').last().waitFor();
  await take(page, 'console-overview', { fullPage: true });
  await show(page, 'messages', '.message-drawn .message-row:nth-child(12)');
  await until(async () => (await page.locator('.message-drawn').getByText('delivered', { exact: true }).count()) === 0);
  await take(page, 'console-messages');
  await show(page, `messages/${failedId}`, '.timeline li');
  await page.getByText('No event tells of it').waitFor();
  await take(page, 'console-message-failed');
  await takeSend(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await show(page, `messages/${readId}`, '.timeline li:nth-child(4)');
  await page.locator('.events li').first().waitFor();
  await page.locator('.phone-bubble').waitFor();
  await page.setViewportSize(NARROW);
  await take(page, 'console-message-narrow');
}

async function takeSend(page: Page): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/templates';
  });
  await page.getByRole('link', { name: 'offer_limited' }).click();
  await page.getByRole('link', { name: 'Send it' }).click();
  await page.getByLabel('To', { exact: true }).fill('+447700900123\n+447700900124');
  await page.getByLabel('Offer: ends at').fill('2030-05-01T18:00');
  await page.getByLabel('Body: 1').fill('Grace');
  await page.getByLabel(/Copy offer code.*code/).fill('SPRING-READING-2030');
  await page.getByLabel(/end of the link/).fill('spring');
  await page.locator('.checked .status').waitFor();
  await take(page, 'console-send', { fullPage: true });
}

async function takeOperator(world: World, { accountId }: Seeded): Promise<void> {
  const page = await world.open({ viewport: { width: 1180, height: 720 } });
  await signIn(page, world.gateway.dev.platform_key);
  await show(page, 'state', '.tiles');
  await take(page, 'console-state');
  await show(page, `accounts/${accountId}`, '.cards:has(.mode)');
  await take(page, 'console-account');
}

async function show(page: Page, path: string, shown: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${path}`);
  await page.locator(shown).first().waitFor();
}

async function take(page: Page, name: string, options: { fullPage?: boolean } = {}): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', ...options });
  console.log(`docs/pictures/${name}.png`);
}
