import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { DEMO_TEMPLATES } from '../../sandbox/demo-templates.ts';
import { findBarriers } from './support/find-barriers.ts';
import { letThrough } from './support/let-through.ts';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

const HOSTILE = '<img/src=x/onerror="ran=1">\u202egpj.exe';
const RIGHT_TO_LEFT = { type: 'FOOTER', text: 'مكتبة الميناء!' };
const CARDS = 6;
const LONG_CAROUSEL = DEMO_TEMPLATES.filter(({ name }) => name === 'carousel_two').map((two) => ({
  ...two,
  name: 'carousel_long',
  components: two.components.map((one) => ({ ...one, ...(one.cards && { cards: Array(CARDS).fill(one.cards[0]) }) })),
}));
const text = (value: string) => ({ type: 'text', text: value });
const body = (...parameters: object[]) => ({ type: 'body', parameters });
const image = (link: string) => ({ type: 'header', parameters: [{ type: 'image', image: { link } }] });
const carousel = (...places: number[]) => ({
  type: 'carousel',
  cards: places.map((place) => ({
    card_index: place,
    components: [image(`https://images.example/card-${place + 1}.png`)],
  })),
});

describe('the page of a message from a template', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Many Templates');
    await give([...DEMO_TEMPLATES, ...LONG_CAROUSEL]);
    page = await world.open();
    await signIn(page, account.key);
  });

  it("shows what the person reads, and says that it is today's text", async () => {
    await show('order_update', [body(text(HOSTILE))]);
    await page.getByText(`Hello ${HOSTILE}, your order is on its way.`, { exact: true }).waitFor();
    await page
      .getByText("Today's text of the template order_update in en_US, with the values of this message.")
      .waitFor();
    assert.equal(await page.getByLabel('The content as JSON').isVisible(), false);
    await page.getByText('As JSON').click();
    await page.getByLabel('The content as JSON').getByText('"name": "order_update"').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
  });

  it('fills in names, media, links, codes, an offer and cards', async () => {
    await show('greeting_named', [body({ ...text('Ada'), parameter_name: 'first_name' })]);
    await bubble().getByText('Hello Ada, nice to meet you.').waitFor();

    const link = { type: 'button', sub_type: 'url', index: 0, parameters: [text('for-ada')] };
    const reply = { type: 'payload', payload: 'NO_MORE' };
    const press = { type: 'button', sub_type: 'quick_reply', index: '1', parameters: [reply] };
    await show('promo_image', [image('https://images.example/1.png'), body(text('Ada')), link, press]);
    assert.deepEqual(await textsOf('.phone-media'), ['▧ image https://images.example/1.png']);
    assert.deepEqual(await textsOf('.phone-button'), [
      '↗ Button: Shop now Opens https://shop.example/sale/for-ada',
      '← Button: No more offers Sends back NO_MORE',
    ]);

    const offer = { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 4_102_444_800_000 } };
    const code = { type: 'coupon_code', coupon_code: 'SPRING' };
    await show('offer_limited', [
      { type: 'limited_time_offer', parameters: [offer] },
      body(text('Ada')),
      { type: 'button', sub_type: 'copy_code', index: 0, parameters: [code] },
      { ...link, index: 1 },
    ]);
    await bubble().getByText('Ends at 01 Jan 2100, 00:00:00').waitFor();
    await bubble().getByText('Copies SPRING').waitFor();

    await show('carousel_two', [carousel(1, 0)]);
    const second = page.getByRole('group', { name: 'Card 2' });
    await second.getByText('https://images.example/card-2.png').waitFor();
    await second.getByText('Show me that').waitFor();
  });

  it('has no barrier, and no more than fits on a phone, in the dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 360, height: 740 });
    await show('carousel_long', [carousel(...Array(CARDS).keys())]);
    await page.locator('.phone-cards').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await show('order_update', [body(text('x'.repeat(300)))], 'fr');
    await page.locator('.facts').getByText('xxx').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  });

  it('shows the values alone where there is no such template, or where they do not fit it', async () => {
    const given = async (label: string) => (await page.locator(`dt:text-is("${label}") + dd`).textContent()) ?? '';
    await show('order_update', [body(text('مرحبا!'))], 'fr');
    await page.getByText('Today there is none of this name in this language, but in: ').waitFor();
    assert.equal(await given('Body: 1'), 'مرحبا!');
    const reads = page.locator('dt:text-is("Body: 1") + dd');
    assert.equal(await reads.evaluate((element) => getComputedStyle(element).direction), 'rtl');
    await show('gone', [image('https://images.example/2.png')]);
    await page.getByText('It names the template gone in en_US. Today there is none of this name.').waitFor();
    assert.equal(await given('Header: image'), 'https://images.example/2.png');
    await show('order_update', [body(text('Ada'), text('Grace'))]);
    await page.getByText('which needs other values today').waitFor();
    assert.equal(await given('Body: 2'), 'Grace');
    await show('gone');
    await page.getByText('It gave no values to it.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('follows the template as it changes, and says when that was after the message', async () => {
    await show('order_update', [body(text('Ada'))]);
    await bubble().getByText('Hello Ada, your order is on its way.').waitFor();
    await page.getByText('No change of it since the message was made is known.').waitFor();
    const changed = DEMO_TEMPLATES.map((one) =>
      one.name === 'order_update'
        ? { ...one, components: [{ type: 'BODY', text: 'Dear {{1}}, it comes today.' }, RIGHT_TO_LEFT] }
        : one,
    );
    await give(changed);
    await world.call('POST', '/api/v1/templates/sync', {}, account.key);
    await bubble().getByText('Dear Ada, it comes today.').waitFor();
    await page.getByText('after the message was made: the person may have got another text.').waitFor();
    const footer = page.getByText(RIGHT_TO_LEFT.text);
    assert.equal(await footer.evaluate((element) => getComputedStyle(element).direction), 'rtl');
  });

  it('is shown to a key that may not read templates, and to one that cannot read them now', async () => {
    const path = `/platform/v1/accounts/${account.id}/keys`;
    const wish = { name: 'Few', mode: 'test', scopes: ['messages:read'] };
    const { key } = await world.call('POST', path, wish, world.gateway.dev.platform_key);
    const id = await send('order_update', [body(text('Ada'))]);
    const few = await world.open();
    await signIn(few, String(key));
    await few.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
    await few.getByText('whose text could not be read. The key needs the scope templates:read').waitFor();
    assert.equal(await few.locator('dt:text-is("Body: 1") + dd').textContent(), 'Ada');
    assert.equal(await few.getByRole('alert').count(), 0);

    assert.equal(await few.getByRole('button', { name: 'Try again' }).count(), 1, 'that of the events');

    const cut = await world.open();
    await signIn(cut, account.key);
    await cut.route('**/api/v1/templates?*', (route) => route.abort());
    await cut.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
    await cut.getByText('whose text could not be read. No answer came').waitFor();
    await letThrough(cut);
    const json = { code: 'unknown_channel', detail: 'No channel of this mode has this id or phone number.' };
    await cut.route('**/api/v1/templates?*', (route) => route.fulfill({ status: 422, json }), { times: 1 });
    await cut.getByRole('button', { name: 'Try again' }).click();
    await cut.getByText('whose text could not be read. Its channel was removed.').waitFor();
    await cut.reload();
    await cut.locator('.phone-bubble').getByText('Dear Ada, it comes today.').waitFor();
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  const bubble = () => page.locator('.phone-bubble').first();

  const give = (templates: object[]) =>
    world.sandbox('templates', { business_account_id: account.businessAccountId, templates });

  async function textsOf(place: string): Promise<string[]> {
    await page.locator(place).first().waitFor();
    const texts = await page.locator(place).allTextContents();
    return texts.map((told) => told.replace(/\s+/g, ' ').trim());
  }

  async function send(name: string, components?: object[], language = 'en_US'): Promise<string> {
    const template = { name, language, ...(components && { components }) };
    const wish = { to: '+447700900171', type: 'template', template };
    const { results } = await world.call('POST', '/api/v1/messages/send', wish, account.key);
    return String(Reflect.get(Object(Array.isArray(results) ? results[0] : undefined), 'id'));
  }

  async function show(name: string, components?: object[], language?: string): Promise<void> {
    const id = await send(name, components, language);
    await page.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
    await page.getByText(id, { exact: true }).waitFor();
  }
});
