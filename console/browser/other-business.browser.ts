import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

describe('a template that two business accounts of an account have', () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });

  it('is shown as it is sent: as the business account of the chosen channel has it', async () => {
    const { id, key, businessAccountId } = await world.makeAccount('Two Houses');
    const wish = {
      ...{ phone_number_id: '8301', business_account_id: '83', access_token: 'a-token', mode: 'test' },
      display_phone_number: '+15550831001',
    };
    const path = `/platform/v1/accounts/${id}/channels`;
    const second = await world.call('POST', path, wish, world.gateway.dev.platform_key);
    const give = (business: string, text: string) =>
      world.sandbox('templates', {
        business_account_id: business,
        templates: [
          {
            name: 'greeting',
            language: 'en_US',
            status: 'APPROVED',
            category: 'UTILITY',
            components: [{ type: 'BODY', text }],
          },
        ],
      });
    await give(businessAccountId, 'Hello from the first house.');
    await give('83', 'Hello from the second house.');
    await world.call('POST', '/api/v1/templates/sync', {}, key);
    const page = await world.open();
    await signIn(page, key);
    await openPage(page, 'Send');
    await page.getByLabel('Template', { exact: true }).first().check();
    const template = page.getByRole('combobox', { name: 'Template' });
    const options = template.getByRole('option', { name: 'greeting · en_US' });
    const bubble = page.locator('.phone-bubble');
    await options.first().waitFor({ state: 'attached' });
    assert.equal(await options.count(), 1);
    await template.selectOption('greeting · en_US');
    await bubble.getByText('Hello from the first house.').waitFor();
    await page.getByLabel('From', { exact: true }).selectOption(String(second.id));
    await page.getByText('There is no such template any more, or not for this channel.').waitFor();
    await template.selectOption('greeting · en_US');
    await bubble.getByText('Hello from the second house.').waitFor();
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
