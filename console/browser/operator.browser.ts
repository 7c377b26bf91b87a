import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

const PHONE_NUMBER_ID = '900000000000011';

describe('the console of the operator', () => {
  let world: World;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    page = await world.open();
    await signIn(page, world.gateway.dev.platform_key);
  });

  it('creates an account and its first key, which opens that account', async () => {
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Quayside Tea');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Quayside Tea' }).waitFor();
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name').fill('Backend');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = (await page.getByText(/^wp_test_/).textContent()) ?? '';
    await page.getByRole('button', { name: 'I have put it in a safe place' }).click();
    await page.getByText(/^wp_test_/).waitFor({ state: 'detached' });
    const customer = await world.open();
    await signIn(customer, key);
    await customer.getByText('Quayside Tea').waitFor();
  });

  it('finds an account by its name or number, and the same list again on the way back', async () => {
    const { id } = await world.makeAccount('Müller & Sons');
    await world.makeAccount('Nobody Else');
    const other = await world.open();
    await signIn(other, world.gateway.dev.platform_key);
    await other.getByRole('link', { name: 'Nobody Else' }).waitFor();
    await other.getByLabel('Search').fill('muller');
    await other.getByLabel('Search').press('Enter');
    await other.getByRole('link', { name: 'Nobody Else' }).waitFor({ state: 'detached' });
    await other.getByRole('link', { name: 'Müller & Sons' }).click();
    await other.getByRole('heading', { level: 1, name: 'Müller & Sons' }).waitFor();
    await other.goBack();
    await other.getByRole('link', { name: 'Müller & Sons' }).waitFor();
    assert.equal(await other.getByRole('link', { name: 'Nobody Else' }).count(), 0);
    assert.equal(await other.getByLabel('Search').inputValue(), 'muller');
    await other.getByLabel('Search').fill('no such name');
    await other.getByRole('button', { name: 'Search' }).click();
    await other.getByText('No account is found').waitFor();
    await other.getByLabel('Search').fill(` ${id} `);
    await other.getByRole('button', { name: 'Search' }).click();
    await other.getByRole('link', { name: 'Müller & Sons' }).waitFor();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signIn(other, world.gateway.dev.platform_key);
    await other.getByRole('link', { name: 'Nobody Else' }).waitFor();
    assert.equal(await other.getByLabel('Search').inputValue(), '');
  });

  it('renames an account; a dialog that is opened again tells nothing of a failure from before', async () => {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill(' ');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByRole('alert').getByText('invalid_request').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0);
    await dialog.getByLabel('Name').fill('Quayside Tea House');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Quayside Tea House' }).waitFor();
    assert.equal(await dialog.count(), 0);
  });

  it('suspends and resumes an account, after asking', async () => {
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
  });

  it('marks a key whose time is over', async () => {
    const { id } = await world.makeAccount('Old Keys');
    const { platform_key: platformKey } = world.gateway.dev;
    const key = { name: 'For an hour', mode: 'test', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    await world.call('POST', `/platform/v1/accounts/${id}/keys`, key, platformKey);
    const other = await world.open();
    await signIn(other, platformKey);
    const row = other.getByRole('row', { name: /For an hour/ });
    await other.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    await row.waitFor();
    assert.equal(await other.getByText('expired', { exact: true }).count(), 0);
    await row.getByRole('button', { name: 'Roll For an hour' }).waitFor();
    await other.clock.setFixedTime(Date.now() + 7_200_000);
    await other.reload();
    await row.getByText('expired', { exact: true }).waitFor();
    assert.equal(await other.getByText('expired', { exact: true }).count(), 1);
    // The gateway rolls a valid key only.
    assert.equal(await row.getByRole('button', { name: 'Roll For an hour' }).count(), 0);
    await row.getByRole('button', { name: 'Revoke For an hour' }).waitFor();
  });

  it('takes no page of something between for what was done, such as of a proxy where one must sign in anew', async () => {
    const { id, key } = await world.makeAccount('Leaked');
    const { platform_key: platformKey } = world.gateway.dev;
    const page200 = { status: 200, contentType: 'text/html', body: '<h1>Sign in</h1>' };
    const other = await world.open();
    await signIn(other, platformKey);
    await other.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    const dialog = other.getByRole('dialog');
    await other.getByRole('button', { name: 'Revoke Console' }).click();
    await other.route('**/platform/v1/**', (route) => route.fulfill(page200));
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('alert').getByText('The answer cannot be read').waitFor();
    assert.equal(await other.getByText('The key is revoked.').count(), 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await other.getByRole('button', { name: 'Suspend' }).click();
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await dialog.getByRole('alert').getByText('The answer cannot be read').waitFor();
    assert.equal(await other.getByText('The account is suspended.').count(), 0);
    assert.equal((await world.call('GET', '/api/v1/account', undefined, key)).id, id);
    await other.reload();
    await other.getByRole('alert').getByText('The answer cannot be read').waitFor();
    assert.equal(await other.getByRole('navigation').count(), 0);
  });

  it('says of a key that it may do nothing, and which of two keys of one name is revoked', async () => {
    const { id } = await world.makeAccount('Namesakes');
    const { platform_key: platformKey } = world.gateway.dev;
    const wish = { name: 'Shop', mode: 'test', scopes: [] };
    const key = await world.call('POST', `/platform/v1/accounts/${id}/keys`, wish, platformKey);
    await world.call('POST', `/platform/v1/keys/${key.id}/roll`, {}, platformKey);
    const other = await world.open();
    await signIn(other, platformKey);
    await other.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    const row = other.getByRole('row', { name: String(key.id) });
    await row.getByText('none', { exact: true }).waitFor();
    // The gateway rolls a key once, so only its successor can be rolled.
    await row.getByText('rolled', { exact: true }).waitFor();
    assert.equal(await other.getByRole('button', { name: 'Roll Shop' }).count(), 1);
    assert.equal(await row.getByRole('button', { name: 'Roll Shop' }).count(), 0);
    await row.getByRole('button', { name: 'Revoke Shop' }).click();
    const question = other.getByRole('dialog').getByText(`Whoever uses ${key.id} is refused`);
    assert.doesNotMatch((await question.textContent()) ?? '', /Roll it instead/);
  });

  it('has a link to an account of whose name nothing can be seen', async () => {
    const { id } = await world.makeAccount('\u200b');
    const other = await world.open();
    await signIn(other, world.gateway.dev.platform_key);
    await other.getByRole('link', { name: '[U+200B]' }).click();
    await other.getByRole('heading', { level: 1, name: '[U+200B]' }).waitFor();
    assert.ok(other.url().endsWith(id));
    await openPage(other, 'Audit log');
    await other.getByText('scopes: not set').first().waitFor();
    assert.equal(await other.getByText('null').count(), 0);
  });

  it('tells no state of notifications apart where there are none in any', async () => {
    const other = await world.open();
    await signIn(other, world.gateway.dev.platform_key);
    const json = { data: [], next_cursor: null };
    await other.route('**/platform/v1/notifications?*', (route) => route.fulfill({ json }));
    await openPage(other, 'Notifications');
    await other.getByText('Nothing was set aside').waitFor();
    await other.getByLabel('State').selectOption('All');
    await other.getByText('There are no notifications').waitFor();
    assert.equal(await other.getByText('Choose another state').count(), 0);
  });

  it('leaves a question open when one that was closed before it is answered', async () => {
    const { id } = await world.makeAccount('Two Keys');
    const { platform_key: platformKey } = world.gateway.dev;
    await world.call('POST', `/platform/v1/accounts/${id}/keys`, { name: 'Shop', mode: 'test' }, platformKey);
    const other = await world.open();
    await signIn(other, platformKey);
    await other.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    const late = Promise.withResolvers<void>();
    await other.route('**/platform/v1/keys/*', async (route) => {
      await late.promise;
      await route.continue();
    });
    await other.getByRole('button', { name: 'Revoke Console' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await other.keyboard.press('Escape');
    await other.getByRole('button', { name: 'Revoke Shop' }).click();
    late.resolve();
    await other.getByRole('button', { name: 'Revoke Console', includeHidden: true }).waitFor({ state: 'detached' });
    await other.evaluate(() => new Promise(requestAnimationFrame));
    await other.getByRole('dialog', { name: 'Revoke Shop?' }).waitFor();
  });

  it('leaves a form open when one that was closed before it is answered', async () => {
    const { id } = await world.makeAccount('Late Token');
    const other = await world.open();
    await signIn(other, world.gateway.dev.platform_key);
    await other.goto(`${world.gateway.dev.console_url}#/accounts/${id}`);
    const late = Promise.withResolvers<void>();
    await other.route('**/platform/v1/channels/*', async (route) => {
      await late.promise;
      await route.continue();
    });
    const renew = other.getByRole('button', { name: 'New token for' });
    await renew.click();
    const dialog = other.getByRole('dialog');
    await dialog.getByLabel('Access token').fill('a-token');
    await dialog.getByRole('button', { name: 'Change the token' }).click();
    await other.keyboard.press('Escape');
    await renew.click();
    late.resolve();
    await dialog.getByText('The provider accepts the new token.').waitFor();
    await other.evaluate(() => new Promise(requestAnimationFrame));
    await dialog.getByLabel('Access token').waitFor();
  });

  it('finds what was set aside, connects the channel that was missing, and applies it', async () => {
    const text = { phone_number_id: PHONE_NUMBER_ID, from: '+447700900150', text: 'Is the shop open on Sunday?' };
    await world.sandbox('inbound', text);
    await openPage(page, 'State');
    await page.getByRole('link', { name: 'Look at them' }).click();
    await page.getByText('No channel has this phone number id').first().waitFor();
    await openPage(page, 'Accounts');
    await page.getByRole('link', { name: 'Quayside Tea' }).click();
    await page.getByRole('button', { name: 'Connect a channel' }).click();
    await page.getByLabel('Phone number', { exact: true }).fill('+44 7700 900911');
    await page.getByLabel('Phone number id').fill(PHONE_NUMBER_ID);
    await page.getByLabel('Business account id').fill('900000000000012');
    await page.getByLabel('Access token').fill('any-token-for-the-sandbox');
    await page.getByLabel('test: the sandbox').check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('row', { name: /\+447700900911/ }).waitFor();
    await openPage(page, 'Notifications');
    const reprocess = page.getByRole('button', { name: /^Reprocess/ }).first();
    const id = (await reprocess.getAttribute('aria-label'))?.replace('Reprocess ', '') ?? assert.fail();
    await reprocess.press('Enter');
    await page.getByText('It is being applied again').waitFor();
    // The button that was pressed is gone.
    await page.waitForFunction(() => document.activeElement?.textContent === 'Look again');
    const path = '/platform/v1/notifications?state=applied';
    const applied = () => world.call('GET', path, undefined, world.gateway.dev.platform_key);
    await until(async () => JSON.stringify(await applied()).includes(id));
    await page.getByLabel('State').selectOption('applied');
    await page.getByRole('row', { name: id }).getByText('applied').waitFor();
  });

  it('does not ask for the state again while the answer is under way: a slow one would never be shown', async () => {
    const slow = await world.open();
    await signIn(slow, world.gateway.dev.platform_key);
    await slow.clock.install();
    const late = Promise.withResolvers<void>();
    let asked = 0;
    await slow.route('**/platform/v1/state', async (route) => {
      asked += 1;
      await late.promise;
      await route.continue();
    });
    await openPage(slow, 'State');
    await slow.getByText('Loading…').waitFor();
    await slow.clock.fastForward(6_000);
    late.resolve();
    await slow.getByText('Sends under way').waitFor();
    assert.equal(asked, 1);
  });

  it('has every change in the audit log', async () => {
    await openPage(page, 'Audit log');
    for (const action of ['notification.reprocessed', 'channel.connected', 'key.created', 'account.created'])
      await page.getByText(action).first().waitFor();
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
