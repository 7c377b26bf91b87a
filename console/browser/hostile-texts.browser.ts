import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import { sendSilent } from './support/report-status.ts';
import { sharedWorld } from './support/shared-world.ts';
import { openPage, signIn } from './support/sign-in.ts';
import type { MadeAccount, World } from './support/world.ts';

/** What would run or load if it were taken for HTML, for a template or for Markdown, without a space to be broken at; then a mark that turns around what follows. */
const HOSTILE = `<img/src=x/onerror="ran=1"><script>ran=1</script>{{constructor.constructor('ran=1')()}}![x](https://evil.example/x)\u202egpj.exe`;
/** What may not stand in a page for the text of somebody else. */
const ELEMENTS = 'main :is(img, script, iframe, object, embed, style, form form)';

describe('texts that outsiders control', () => {
  let world: World;
  let account: MadeAccount;
  let page: Page;
  let requestId: string;
  const endpoint = createServer((request, answer) => request.resume().on('end', () => answer.end(HOSTILE)));
  before(async () => {
    world = await sharedWorld();
    account = await world.makeAccount(HOSTILE.slice(0, 100));
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    const { key } = account;
    const body = { to: ['\u202e0770\u200b900', '+15550131026'], type: 'text', text: { body: HOSTILE } };
    const sent = await world.call('POST', '/api/v1/messages/send', { ...body, client_reference: HOSTILE }, key);
    requestId = String(sent.request_id);
    for (const [name, more] of Object.entries({ order_update: {}, [HOSTILE]: { parameter_name: HOSTILE } })) {
      const components = [{ type: 'body', parameters: [{ type: 'text', text: HOSTILE, ...more }] }];
      const template = { name, language: 'en_US', components };
      await world.call('POST', '/api/v1/messages/send', { to: '+15552000011', type: 'template', template }, key);
    }
    await report();
    await until(async () => (await messages()).length === 8);
    page = await world.open();
    await signIn(page, key);
  });
  after(async () => {
    await page?.context().close();
    endpoint.closeAllConnections();
    endpoint.close();
  });

  it('run nothing, stay in their places, and turn nothing around beside them', async () => {
    await openPage(page, 'Messages');
    await page.getByRole('row', { name: '+447700900122' }).waitFor();
    await look('messages');
    for (const { id } of await messages()) {
      await page.goto(`${world.gateway.dev.console_url}#/messages/${id}`);
      await page.getByRole('heading', { name: 'Facts' }).waitFor();
      await page.getByText('Looking up the template').waitFor({ state: 'detached' });
      await look(`message ${id}`);
    }
  });

  it('are shown with their marks where they are not what they should be', async () => {
    await page.goto(`${world.gateway.dev.console_url}#/requests/${requestId}`);
    await page.getByText('[U+202E]0770[U+200B]900', { exact: true }).waitFor();
    await look('request');
  });

  it('cannot make the address of an endpoint look like another one', async () => {
    const { port } = endpoint.address() as AddressInfo; // A server that listens on TCP has one.
    const mirrored = `http://127.0.0.1:${port}/\u202emoc.live`;
    for (const url of [mirrored, 'https://ex\u0430mple.com/']) {
      const wish = { url, types: ['account.updated'], description: HOSTILE };
      await world.call('POST', '/api/v1/endpoints', wish, account.key);
    }
    await openPage(page, 'Endpoints');
    await page.getByRole('link', { name: 'https://xn--exmple-4nf.com/', exact: true }).waitFor();
    await look('endpoints');
    await page.getByRole('link', { name: `http://127.0.0.1:${port}/%E2%80%AEmoc.live`, exact: true }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('It answered with 200.').waitFor();
    await look('endpoint');
  });

  it('complained of nothing', () => assert.deepEqual(world.complaints, []));

  async function messages(): Promise<{ id: string }[]> {
    const { data } = await world.call('GET', '/api/v1/messages', undefined, account.key);
    return Array.isArray(data) ? data : [];
  }

  /** Has the provider tell of texts, a file, an error and a status that nobody knows. */
  async function report(): Promise<void> {
    const { phoneNumberId, businessAccountId } = account;
    const silent = await sendSilent(world, account);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const metadata = { display_phone_number: '15550000000', phone_number_id: phoneNumberId };
    const post = (told: object) => {
      const changes = [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...told } }];
      const entry = [{ id: businessAccountId, changes }];
      return world.sandbox('notifications', { object: 'whatsapp_business_account', entry });
    };
    const contents = [
      { type: 'text', text: { body: HOSTILE.repeat(500) } },
      { type: 'document', document: { filename: HOSTILE, caption: HOSTILE, link: 'javascript:ran=1' } },
      { type: HOSTILE },
      { type: 'button', button: { text: HOSTILE } },
    ];
    for (const [place, content] of contents.entries()) {
      const from = `44770090012${place}`;
      const contacts = [{ profile: { name: HOSTILE }, wa_id: from }];
      await post({ contacts, messages: [{ from, id: `${HOSTILE}${place}`, timestamp, ...content }] });
    }
    const errors = [{ code: 131_026, title: HOSTILE, message: HOSTILE, error_data: { details: HOSTILE } }];
    for (const told of [{ status: 'failed', errors }, { status: HOSTILE.repeat(2) }])
      await post({ statuses: [{ id: silent.messageId, timestamp, recipient_id: '15552000011', ...told }] });
    await until(async () => {
      const { timeline } = await world.call('GET', `/api/v1/messages/${silent.id}`, undefined, account.key);
      return Array.isArray(timeline) && timeline.length === 3;
    });
  }

  async function look(name: string): Promise<void> {
    const seen = await page.evaluate((elements) => {
      // A text that is folded up has no place.
      for (const folded of document.querySelectorAll('details')) folded.open = true;
      const turned: string[] = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { parentElement: place, nodeValue } = texts.currentNode;
        if (place === null || nodeValue === null || !nodeValue.includes('\u202e')) continue;
        // A text with bold pieces has an element for each.
        const rich = place.closest<HTMLElement>('.rich');
        const home = rich?.parentElement ?? place;
        const { display, unicodeBidi } = getComputedStyle(home);
        const isApart = display !== 'inline' || /isolate|plaintext/.test(unicodeBidi);
        if (!isApart || home.innerText.trim() !== (rich?.innerText ?? nodeValue).trim())
          turned.push(home.outerHTML.slice(0, 200));
      }
      return {
        ran: Reflect.get(window, 'ran'),
        elements: document.querySelectorAll(elements).length,
        turned,
        isWider: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      };
    }, ELEMENTS);
    assert.deepEqual(seen, { ran: undefined, elements: 0, turned: [], isWider: false }, name);
  }
});
