import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { letThrough } from './support/let-through.ts';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

/** What the customer's endpoint got, in that order. */
const got: { headers: IncomingHttpHeaders; body: string }[] = [];
const server = createServer(async (request, answer) => {
  got.push({ headers: request.headers, body: await text(request) });
  answer.end('Thank you');
});

describe('the page of an endpoint', () => {
  let world: World;
  let page: Page;
  let key: string;
  let path: string;
  before(async () => {
    world = await sharedWorld();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    ({ key } = await world.makeAccount('Good Listener'));
    const { id } = await world.call('POST', '/api/v1/endpoints', { url }, key);
    path = `/api/v1/endpoints/${id}`;
    const body = { to: '+447700900123', type: 'text', text: { body: 'Hello' } };
    await world.call('POST', '/api/v1/messages/send', body, key);
    await until(async () => got.length === 3);
    page = await world.open();
    await signIn(page, key);
    await page.goto(`${world.gateway.dev.console_url}#/endpoints/${id}`);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('lists what was tried, by its outcome', async () => {
    const rows = page.locator('tbody tr');
    await page.getByRole('button', { name: 'Look again' }).click();
    await rows.nth(2).waitFor();
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByText('No attempts with this outcome').waitFor();
    await page.getByLabel('Outcome').selectOption('succeeded');
    await rows.nth(2).waitFor();
  });

  it('replays one event, or all after a number', async () => {
    const second = got.find(({ body }) => JSON.parse(body).sequence === 2);
    const id = String(second?.headers['webhook-id']);
    await page.getByRole('button', { name: `Replay the event ${id}` }).click();
    await page.getByText('The event is on its way again.').waitFor();
    await until(async () => got.length === 4);
    assert.equal(got[3]?.headers['webhook-id'], id);
    // Nobody sends everything again by pressing a button only.
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    assert.equal(
      await page
        .getByLabel('All events after number')
        .evaluate((field: HTMLInputElement) => field.validity.valueMissing),
      true,
    );
    await page.getByLabel('All events after number').fill('1');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('2 events are on their way again.').waitFor();
    await until(async () => got.length === 6);
    const replayed = got.slice(4).map(({ body }) => JSON.parse(body).sequence);
    assert.deepEqual(replayed.sort(), [2, 3]);
  });

  it('promises no delivery while it is disabled, and says why it is', async () => {
    const off = 'no event is tried before it is enabled again';
    assert.equal(await page.getByText(off).count(), 0);
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText(off).waitFor();
    await page.getByText('It was turned off with a key of this account.').waitFor();
    await page
      .getByRole('button', { name: /^Replay the event/ })
      .first()
      .click();
    await page.getByText('The event goes out when the endpoint is enabled.').waitFor();
    await page.getByLabel('All events after number').fill('1');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('2 events go out when the endpoint is enabled.').waitFor();
    await page.getByLabel('All events after number').fill('3');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('after this number there is no event for this endpoint').waitFor();
    const before = got.length;
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByText('and those that were on their way to it').waitFor();
    await until(async () => got.length >= before + 2);
    await page.getByText(off).waitFor({ state: 'detached' });
  });

  it('says whether a signature is right, and what is wrong with one', async () => {
    const { headers, body } = got[0] ?? assert.fail();
    await page.getByLabel('Headers').fill(JSON.stringify(headers));
    await page.getByLabel('Body').fill(body);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('The signature is valid.').waitFor();
    await page.getByLabel('Body').fill(`${body} `);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('body_changed').waitFor();
    assert.equal(await page.getByText('The signature is valid.').count(), 0);
  });

  it('changes what the form has changed, and shows what is wrong at its field', async () => {
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Change the endpoint' });
    const address = form.getByLabel('Address');
    const before = await address.inputValue();
    await address.fill('ftp://example.com/');
    await form.getByLabel('message.failed').check();
    await form.getByRole('button', { name: 'Change', exact: true }).click();
    await form.locator('input[aria-invalid=true]').and(address).waitFor();
    await address.fill(before);
    // Somebody else names it meanwhile, which this form, opened before, must not take back.
    await world.call('PATCH', path, { description: 'Of the shop' }, key);
    await form.getByRole('button', { name: 'Change', exact: true }).click();
    // While a dialog is open, it shows what is told too.
    await form.waitFor({ state: 'hidden' });
    await page.getByText('The endpoint is changed.').waitFor();
    await page.getByText('Of the shop').waitFor();
    const { types, description, url } = await world.call('GET', path, undefined, key);
    assert.deepEqual(
      { types, description, url },
      { types: ['message.failed'], description: 'Of the shop', url: before },
    );
  });

  it('keeps the types of events that only a newer gateway knows, unless they are taken away', async () => {
    const later = 'person.stopped';
    const asked: unknown[] = [];
    const told = { ...(await world.call('GET', path, undefined, key)), types: ['message.failed', later] };
    await page.route(`**${path}`, async (route) => {
      const body = route.request().postDataJSON();
      if (body !== null) asked.push(body);
      await route.fulfill({ json: told });
    });
    await page.reload();
    const form = page.getByRole('dialog', { name: 'Change the endpoint' });
    const change = async (type: string, isWanted: boolean) => {
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      assert.ok(await form.getByLabel(later).isChecked());
      await form.getByLabel(type).setChecked(isWanted);
      await form.getByRole('button', { name: 'Change', exact: true }).click();
      await form.waitFor({ state: 'hidden' });
    };
    await change('message.read', true);
    await change(later, false);
    assert.deepEqual(asked, [{ types: ['message.read', 'message.failed', later] }, { types: ['message.failed'] }]);
    await letThrough(page);
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});
