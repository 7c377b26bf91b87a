import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

const [PERSON, OTHER] = ['+447700900181', '+447700900182'];

describe('the conversation with a person', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  let own: string;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Two Sides');
    const { data } = await world.call('GET', '/api/v1/channels', undefined, account.key);
    own = String(Object(Array.isArray(data) ? data[0] : undefined).phone_number);
    await send(PERSON, 'Your book is here');
    await write(PERSON, 'When do you close?');
    await write(OTHER, 'Is this the shop?');
    page = await world.open();
    await signIn(page, account.key);
    await openPage(page, 'Messages');
    await page.getByText('3 listed').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('is found by the number, both sides of it, and goes on as it happens', async () => {
    await search(PERSON);
    await page.getByText('Looks for messages to or from this number.').waitFor();
    await page.getByText('2 listed').waitFor();
    await page.getByText('When do you close?').waitFor();
    await write(OTHER, 'Hello?');
    await write(PERSON, 'Never mind');
    await page.getByText('3 listed').waitFor();
    assert.equal(await page.getByRole('row', { name: OTHER }).count(), 0);
  });

  it('is not meant by a number of the account: that finds what people wrote to it', async () => {
    await search(own);
    await page.getByText('Looks for messages that came to this number of yours.').waitFor();
    await page.getByText('4 listed').waitFor();
    await page.getByText('Your book is here').waitFor({ state: 'detached' });
    await write(OTHER, 'Anybody there?');
    await page.getByText('5 listed').waitFor();
  });

  it('is one step from each of its messages', async () => {
    await page.getByRole('link', { name: PERSON }).first().click();
    await page.getByRole('button', { name: 'All with this person' }).click();
    await page.getByText('3 listed').waitFor();
    await page.getByText('Your book is here').waitFor();
    assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), PERSON);
    assert.doesNotMatch(page.url(), /7700900/);
  });

  it('tells what the person is called beside the number, and never in its place', async () => {
    const called = 'Zoë of the Quay';
    await writeAs('+447700900183', { name: called, username: 'zoe.reads' });
    // A name without an end, whose text turns around, and one that is no text.
    await writeAs('+447700900184', { name: `\u202e${called.repeat(500)}` });
    await writeAs('+447700900185', { name: { first: called }, username: 'ada.reads' });
    await search('');
    for (const [number, name] of [
      ['183', called],
      ['184', called],
      ['185', 'ada.reads'],
    ] as const) {
      const cell = page
        .getByRole('row', { name: `+447700900${number}` })
        .getByRole('cell')
        .first();
      await cell.getByText(name).waitFor();
      const { width = 0, height = 0 } = (await cell.boundingBox()) ?? {};
      assert.ok(width < 200 && height < 44, `${number} is ${width} wide and ${height} high`);
    }
    await page.getByRole('link', { name: '+447700900184', exact: true }).click();
    const name = page.getByRole('definition').filter({ hasText: 'as the person chose it' });
    await name.waitFor();
    assert.ok(((await name.boundingBox())?.height ?? 0) < 120, 'a name takes no page');
    await page.getByRole('link', { name: '← Messages' }).click();
    await page.getByRole('link', { name: '+447700900183', exact: true }).click();
    for (const text of [called, 'zoe.reads', '+447700900183']) await page.getByText(text, { exact: true }).waitFor();
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  async function search(text: string): Promise<void> {
    await page.getByLabel('Search', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }

  function send(to: string, body: string) {
    return world.call('POST', '/api/v1/messages/send', { to, type: 'text', text: { body } }, account.key);
  }

  /** Writes as somebody of whom the provider tells this. */
  function writeAs(from: string, profile: object): Promise<void> {
    const [sender, timestamp] = [from.slice(1), String(Math.floor(Date.now() / 1_000))];
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: own.slice(1), phone_number_id: account.phoneNumberId },
      contacts: [{ profile, wa_id: sender }],
      messages: [{ from: sender, id: `wamid.${sender}`, timestamp, type: 'text', text: { body: 'Hello' } }],
    };
    const entry = [{ id: account.businessAccountId, changes: [{ field: 'messages', value }] }];
    return world.sandbox('notifications', { object: 'whatsapp_business_account', entry });
  }

  function write(from: string, text: string): Promise<void> {
    return world.sandbox('inbound', { phone_number_id: account.phoneNumberId, from, text });
  }
});
