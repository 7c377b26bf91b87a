import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { letThrough } from './support/let-through.ts';
import { reportStatus, type SentMessage, sendSilent } from './support/report-status.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { World } from './support/world.ts';

describe('the page of a message', () => {
  let world: World;
  let account: Awaited<ReturnType<World['makeAccount']>>;
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount('Many Tongues');
    await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, account.key);
  });

  it('does not say that nobody was told of an event where it could not look', async () => {
    const id = await sendAndWait(world, account.key);
    const page = await world.open();
    await signIn(page, await makeKey(world, account.id, ['messages:read', 'events:read']));
    await show(page, world, id);
    await page.getByText('message.read').waitFor();
    await page.getByText('The key needs the scope endpoints:manage').waitFor();
    assert.equal(await page.getByText('None of the present endpoints has been told of it').count(), 0);
  });

  it('does not say so either where there are more endpoints than it asks', async () => {
    const { id: accountId, key } = await world.makeAccount('Many Ears');
    await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, key);
    const deaf = { url: world.endpointUrl, types: ['endpoint.disabled'] };
    for (let made = 0; made < 20; made++) await world.call('POST', '/api/v1/endpoints', deaf, key);
    const id = await sendAndWait(world, key);
    const page = await world.open();
    await signIn(page, await makeKey(world, accountId, ['messages:read', 'events:read', 'endpoints:manage']));
    await show(page, world, id);
    await page.getByText('message.read').waitFor();
    await page.getByText('Only the newest 20 endpoints were asked').waitFor();
    assert.equal(await page.getByText('None of the present endpoints has been told of it').count(), 0);
  });

  it('does not say that nothing was told where an endpoint is gone, or the events of that time are', async () => {
    const { key } = await world.makeAccount('Gone Ears');
    const { id: endpointId } = await world.call('POST', '/api/v1/endpoints', { url: world.endpointUrl }, key);
    const id = await sendAndWait(world, key);
    await world.call('DELETE', `/api/v1/endpoints/${endpointId}`, undefined, key);
    const page = await world.open();
    await signIn(page, key);
    await show(page, world, id);
    await page.getByText('None of the present endpoints has been told of it').first().waitFor();
    assert.equal(await page.getByText('is not kept any more').count(), 0);
    const json = { data: [], next_cursor: null, oldest_sequence: 501, latest_sequence: 500 };
    await page.route('**/api/v1/events?after=*', (route) => route.fulfill({ json }));
    await page.reload();
    await page.getByText('The log of events begins with number 501. What was before is not kept any more.').waitFor();
    await page.getByText('No event that is kept tells of it.').waitFor();
  });

  it('looks again whether an endpoint was told of a new event', async () => {
    const id = await sendAndWait(world, account.key);
    const page = await world.open();
    await signIn(page, account.key);
    // Each of the three events is asked about once before the attempts are there.
    await page.route('**/attempts?*', (route) => route.fulfill({ json: { data: [], next_cursor: null } }), {
      times: 3,
    });
    await show(page, world, id);
    await page.locator('.events').getByText('succeeded').nth(2).waitFor();
  });

  it('follows a message that failed without an event, as its list and its request do', async () => {
    const body = { to: '+15550131026', type: 'text', text: { body: 'Hello' } };
    const sent = await world.call('POST', '/api/v1/messages/send', body, account.key);
    const page = await world.open();
    await signIn(page, account.key);
    const providersId = page.locator('dt:text-is("Provider\'s id") + dd');
    const [itself, list] = [`**/api/v1/messages/${idOf(sent)}`, '**/api/v1/messages?*'];
    await page.route(itself, tellUnderWay);
    await show(page, world, idOf(sent));
    await page.getByText('It is being handed to the provider.').waitFor();
    assert.equal(await providersId.textContent(), 'none yet');
    // It is asked about again also where once nobody answers. The newest of the two routes counts: in no moment between them is the true
    // answer given, which would end the following.
    await page.route(itself, (route) => route.abort());
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
    await letThrough(page);
    await page.getByText('It was not sent, or could not be delivered.').waitFor();
    assert.equal(await providersId.textContent(), 'none');
    // What the provider says itself is often what names the cause.
    const { error } = await world.call('GET', `/api/v1/messages/${idOf(sent)}`, undefined, account.key);
    await page.getByText(String(Object(Object(error).provider).details)).waitFor();
    await page.route(list, tellUnderWay);
    await openPage(page, 'Messages');
    const row = page.getByRole('row', { name: /\+15550131026/ });
    await row.getByText('transmitting').waitFor();
    await letThrough(page);
    await row.getByText('failed').waitFor();
    const read = page.waitForResponse('**/api/v1/messages?request_id=*');
    await page.route('**/api/v1/messages?request_id=*', tellUnderWay, { times: 1 });
    await page.goto(`${world.gateway.dev.console_url}#/requests/${sent.request_id}`);
    await (await read).finished();
    await row.getByText('failed', { exact: true }).nth(1).waitFor();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.equal(await row.getByText('transmitting').count(), 0);
  });

  it('shows of a message to a person who was forgotten what is kept, and that the rest is not', async () => {
    const { id: accountId, key } = await world.makeAccount('Forgetful');
    const id = await sendAndWait(world, key);
    const page = await world.open();
    await signIn(page, key);
    await show(page, world, id);
    const fact = (name: string) => page.locator(`dt:text-is("${name}") + dd`).textContent();
    await page.locator('.phone-bubble').getByText('Hello').waitFor();
    assert.equal(await fact('To'), TO.to);
    assert.equal(await fact('Client reference'), 'none');
    await world.call('POST', `/platform/v1/accounts/${accountId}/erase`, TO, world.gateway.dev.platform_key);
    const read = () => world.call('GET', `/api/v1/messages/${id}`, undefined, key);
    await until(async () => (await read()).to === null);
    await page.reload();
    await page.getByText('The content was removed, because the platform has forgotten the person.').waitFor();
    assert.deepEqual(await Promise.all(['To', "Provider's id", 'Client reference'].map(fact)), [
      'not kept',
      'none kept',
      'none kept',
    ]);
    await page.goto(`${world.gateway.dev.console_url}#/requests/${(await read()).request_id}`);
    await page.getByRole('link', { name: 'not kept' }).click();
    await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
  });

  it('shows what happened when it was read and the stream of events had not begun, as its request does', async () => {
    for (const pathOf of [
      ({ id }: SentMessage) => `messages/${id}`,
      (sent: SentMessage) => `requests/${sent.requestId}`,
    ]) {
      const early = await world.makeAccount('Early Reader');
      const sent = await sendSilent(world, early);
      const page = await world.open();
      const late = Promise.withResolvers<void>();
      await page.route('**/api/v1/events?*', async (route) => {
        await late.promise;
        await route.continue();
      });
      await page.goto(`${world.gateway.dev.console_url}#/${pathOf(sent)}`);
      // The page of a request reads the messages after the request.
      const read = page.waitForResponse(/\/api\/v1\/messages[/?]/);
      await signIn(page, early.key);
      await (await read).finished();
      await page.getByText('accepted', { exact: true }).first().waitFor();
      await reportStatus(world, early, sent, 'delivered');
      await until(async () => (await world.call('GET', '/api/v1/events', undefined, early.key)).latest_sequence === 1);
      late.resolve();
      await page.getByText('delivered', { exact: true }).first().waitFor();
    }
  });

  it('says why the events could not be read, and reads them when asked again', async () => {
    const id = await sendAndWait(world, account.key);
    const later = await world.open();
    // The page also reads them when the stream begins. So whether a call fails must go by the press, as the page itself sees it.
    await later.route('**/api/v1/events?after=*', async (route) => {
      const isPressed = await later.evaluate(() => 'pressed' in window);
      await (isPressed ? route.continue() : route.abort());
    });
    await signIn(later, account.key);
    await show(later, world, id);
    await later.getByText('The events could not be read. No answer came').waitFor();
    await later.evaluate(() => addEventListener('click', () => Object.assign(window, { pressed: true }), true));
    await later.getByRole('button', { name: 'Try again' }).click();
    await later.getByText('message.read').waitFor();
    const page = await world.open();
    await signIn(page, await makeKey(world, account.id, ['messages:read']));
    await show(page, world, id);
    await page.getByText('The events could not be read. The key needs the scope events:read').waitFor();
  });

  it('lets each line of a text begin where its script begins', async () => {
    const page = await world.open();
    await signIn(page, account.key);
    const body = 'مرحبا!\nHello!';
    const sent = await world.call(
      'POST',
      '/api/v1/messages/send',
      { ...TO, type: 'text', text: { body } },
      account.key,
    );
    await show(page, world, idOf(sent));
    const line = page.locator('.phone-bubble .rich');
    await line.waitFor();
    const places = await line.evaluate((element) => {
      const text = element.querySelector('span')?.firstChild;
      if (text == null) return [];
      return ['م', '!', 'H', 'o!'].map((sign) => {
        const range = document.createRange();
        const from = text.textContent?.indexOf(sign) ?? 0;
        range.setStart(text, from + sign.length - 1);
        range.setEnd(text, from + sign.length);
        return range.getBoundingClientRect().left;
      });
    });
    const [first = 0, arabicEnd = 0, second = 0, latinEnd = 0] = places;
    assert.ok(arabicEnd < first && second < latinEnd, JSON.stringify(places));
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));
});

const TO = { to: '+447700900171' };

async function sendAndWait(world: World, key: string): Promise<string> {
  const body = { ...TO, type: 'text', text: { body: 'Hello' } };
  const id = idOf(await world.call('POST', '/api/v1/messages/send', body, key));
  await until(async () => (await world.call('GET', `/api/v1/messages/${id}`, undefined, key)).status === 'read');
  return id;
}

/** Lets through a message, or a list of them, as it was before its end. */
async function tellUnderWay(route: Route): Promise<void> {
  const response = await route.fetch();
  const json = await response.json();
  const asItWas = (message: object) => ({ ...message, status: 'transmitting', error: null });
  const before = Array.isArray(json.data) ? { ...json, data: json.data.map(asItWas) } : asItWas(json);
  await route.fulfill({ response, json: before });
}

function idOf({ results }: Record<string, unknown>): string {
  return String(Reflect.get(Object(Array.isArray(results) ? results[0] : undefined), 'id'));
}

async function makeKey(world: World, accountId: string, scopes: string[]): Promise<string> {
  const path = `/platform/v1/accounts/${accountId}/keys`;
  const made = await world.call('POST', path, { name: 'Few', mode: 'test', scopes }, world.gateway.dev.platform_key);
  return String(made.key);
}

async function show(page: Page, world: World, id: string): Promise<void> {
  await page.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
  await page.getByRole('heading', { level: 1, name: 'Message' }).waitFor();
}
