import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { until } from '../../test/support/until.ts';
import { sharedWorld } from './support/shared-world.ts';
import { signIn } from './support/sign-in.ts';
import { watchPage } from './support/watch-page.ts';
import type { World } from './support/world.ts';

const BASE = '/messaging/waypost';

/** Passes on calls below the path, without the path, as a proxy does. Every other call is answered 404. */
const proxy = createServer((asked, answer) => {
  if (!asked.url?.startsWith(`${BASE}/`)) return void answer.writeHead(404).end();
  const { method, headers } = asked;
  const url = world.gateway.dev.base_url + asked.url.slice(BASE.length);
  const passed = request(url, { method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
});
let world: World;

describe('the console below a path of a proxy', () => {
  let origin: string;
  before(async () => {
    world = await sharedWorld();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  for (const path of ['/console', '/console/'])
    it(`is opened as ${path}, and asks for nothing outside of it`, async () => {
      const { key } = await world.makeAccount('Below a path');
      const to = ['+15550131026'];
      await world.call('POST', '/api/v1/messages/send', { to, type: 'text', text: { body: 'Hello' } }, key);
      // If the page is opened before that, it has no chart, and asks again only much later.
      await until(async () =>
        String((await world.call('GET', '/api/v1/statistics', undefined, key)).failures).includes('object'),
      );
      const complaints: string[] = [];
      const page = await (await world.browser.newContext()).newPage();
      watchPage(page, origin + BASE, complaints);
      await page.goto(origin + BASE + path);
      await signIn(page, key);
      await page.getByText('Live', { exact: true }).waitFor();
      const code = page.getByRole('link', { name: 'recipient_unreachable' }).first();
      await code.waitFor();
      assert.equal(await code.getAttribute('href'), `${BASE}/docs/errors/recipient_unreachable`);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });
});
