import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { letThrough } from './support/let-through.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

const [WRITER, FORGOTTEN] = ['+447700900191', '+447700900192'];
/** Of two of them a page of messages has only one. */
const LONG = 'x'.repeat(700_000);

describe('a message of a rare kind', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Rare Books');
    page = await world.open();
    await signIn(page, account.key);
  });

  it('that tells more than its text shows that too', async () => {
    const id = await comeIn({ type: 'text', text: { body: 'Is it *new*?' }, referral: { source_id: '1202' } });
    await show(id);
    await page.locator('.phone-bubble').getByText('Is it new?').waitFor();
    await page.getByLabel('More of the content as JSON').getByText('"source_id": "1202"').waitFor();
  });

  it('that is no text is shown with the words in it: of a button that was pressed, and beside a picture', async () => {
    await show(await comeIn({ type: 'button', button: { text: 'No more offers', payload: 'STOP' } }));
    await page.locator('.phone-bubble').getByText('No more offers').waitFor();
    await page.getByLabel('The content as JSON').getByText('"payload": "STOP"').waitFor();
    await show(await comeIn({ type: 'image', image: { id: '1202', caption: 'It is *torn*' } }));
    await page.locator('.phone-bubble').getByText('It is torn').waitFor();
    await openPage(page, 'Messages');
    await page.getByText('button: No more offers', { exact: true }).waitFor();
    await page.getByText('image: It is *torn*', { exact: true }).waitFor();
  });

  it('that nobody wrote is not shown as if the person had written it', async () => {
    const body = 'User A changed from 447700900191 to 447700900193';
    const id = await comeIn({ type: 'system', system: { body, wa_id: '447700900193', type: 'user_changed_number' } });
    await show(id);
    await page.getByText('It has come in to a number of this account.').waitFor();
    await page.getByLabel('The content as JSON').getByText('"wa_id": "447700900193"').waitFor();
    assert.equal(await page.locator('.phone-bubble').count(), 0);
  });

  it('that answers one which is not known here says so', async () => {
    const context = { from: '15550000001', id: 'wamid.of-another-gateway' };
    await show(await comeIn({ type: 'text', text: { body: 'Yes' }, context }));
    assert.match(await fact('Answer to'), /^wamid\.of-another-gateway .*not known here$/);
  });

  it('whose outcome is unknown promises no id, and keeps the reason when the outcome is told', async () => {
    const id = await send('+15552000001');
    await show(id);
    await page.getByText('Whether the provider took it is not known.').waitFor();
    assert.equal(await fact("Provider's id"), 'not known');
    const itself = `**/api/v1/messages/${id}`;
    await page.route(itself, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const error = { ...json.error, code: 'recipient_unreachable', message: 'The person cannot be reached' };
      const at = json.updated_at;
      const timeline = [...json.timeline, { status: 'failed', at, received_at: at, note: null, error }];
      await route.fulfill({ response, json: { ...json, status: 'failed', error, timeline } });
    });
    const { error } = await world.call('GET', `/api/v1/messages/${id}`, undefined, account.key);
    await page.reload();
    await page.getByText('The person cannot be reached').waitFor();
    await page
      .locator('.timeline')
      .getByText(String(Object(error).message))
      .waitFor();
    assert.equal(await page.getByText('The person cannot be reached').count(), 1);
    await letThrough(page);
  });

  it('that failed once says why once, whether at the send or later', async () => {
    for (const to of ['+15550131026', '+15551131049']) {
      const id = await send(to);
      const read = () => world.call('GET', `/api/v1/messages/${id}`, undefined, account.key);
      await until(async () => (await read()).status === 'failed');
      await show(id);
      await page.getByText('What this code means').first().waitFor();
      assert.equal(await page.getByText('What this code means').count(), 1, to);
    }
  });

  it('has whole words of the provider in its timeline', async () => {
    const id = await send('+15552000011');
    const itself = `**/api/v1/messages/${id}`;
    await page.route(itself, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const timeline = [...json.timeline, { ...json.timeline[0], status: 'payment_captured' }];
      await route.fulfill({ response, json: { ...json, timeline } });
    });
    await show(id);
    const word = page.locator('.timeline .status').filter({ hasText: 'payment captured' });
    assert.equal(await word.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth), false);
    await letThrough(page);
  });

  it('of whose text and reference nothing can be seen has them by what they are made of', async () => {
    const body = { to: '+15552000011', type: 'text', text: { body: '\u3164' }, client_reference: '\u200b ' };
    const { request_id, results } = await world.call('POST', '/api/v1/messages/send', body, account.key);
    await show(String(Object(Array.isArray(results) ? results[0] : undefined).id));
    await page.locator('.phone-bubble').getByText('[U+3164]').waitFor();
    const reference = '[U+200B][U+0020]';
    assert.equal(await fact('Client reference'), reference);
    await openPage(page, 'Messages');
    const row = page.getByRole('row', { name: reference });
    await row.getByText('[U+3164]').waitFor();
    await openPage(page, 'Requests');
    await page.getByRole('row', { name: reference }).waitFor();
    await page.goto(`${world.gateway.dev.console_url}#/requests/${request_id}`);
    await page.getByText(reference, { exact: true }).waitFor();
  });

  it('whose content is past its time is whole otherwise', async () => {
    const id = await send('+15552000011');
    const itself = `**/api/v1/messages/${id}`;
    await page.route(itself, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), text: null, content_expired: true } });
    });
    await show(id);
    await page.getByText('The content was removed when its time was over.').waitFor();
    assert.equal(await fact('Client reference'), 'none');
    await letThrough(page);
  });

  it('of a person who was forgotten is in the list, and says nothing of a number that there never was', async () => {
    await send(FORGOTTEN);
    const erase = `/platform/v1/accounts/${account.id}/erase`;
    await world.call('POST', erase, { to: FORGOTTEN }, world.gateway.dev.platform_key);
    await until(async () => !JSON.stringify(await list()).includes(FORGOTTEN));
    await openPage(page, 'Messages');
    await page.reload();
    await page.getByRole('link', { name: 'a person who is not named', exact: true }).waitFor();
  });

  it('that is so long that a page of the list has few others leaves the older ones in reach', async () => {
    const old = await send('+15552000011');
    for (const place of [1, 2, 3]) await comeIn({ type: 'document', document: { id: String(place), padding: LONG } });
    await openPage(page, 'Overview');
    await page.reload();
    await openPage(page, 'Messages');
    await page.locator(`.message-row a[href$="${old}"]`).waitFor();
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  const list = () => world.call('GET', '/api/v1/messages', undefined, account.key);
  const fact = async (name: string) =>
    (await page.locator(`dt:text-is("${name}") + dd`).textContent())?.trim() ?? assert.fail();

  async function show(id: string): Promise<void> {
    await page.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
    await page.getByText(id, { exact: true }).first().waitFor();
  }

  async function send(to: string): Promise<string> {
    const body = { to, type: 'text', text: { body: 'Hello' } };
    const { results } = await world.call('POST', '/api/v1/messages/send', body, account.key);
    return String(Object(Array.isArray(results) ? results[0] : undefined).id);
  }

  /** Posts a message of a person as the provider does, and returns its id. */
  async function comeIn(members: object): Promise<string> {
    const [id, timestamp] = [`wamid.rare-${crypto.randomUUID()}`, String(Math.floor(Date.now() / 1_000))];
    const metadata = { display_phone_number: '15550000000', phone_number_id: account.phoneNumberId };
    const messages = [{ from: WRITER.slice(1), id, timestamp, ...members }];
    const value = { messaging_product: 'whatsapp', metadata, messages };
    const entry = [{ id: account.businessAccountId, changes: [{ field: 'messages', value }] }];
    await world.sandbox('notifications', { object: 'whatsapp_business_account', entry });
    const found = async () => world.call('GET', `/api/v1/messages?message_id=${id}`, undefined, account.key);
    await until(async () => JSON.stringify(await found()).includes(id));
    const { data } = await found();
    return String(Object(Array.isArray(data) ? data[0] : undefined).id);
  }
});
