import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type GatewayProcess, startGatewayProcess } from '../../test/support/process.ts';
import { startBrowser } from './support/browser.ts';
import { letThrough } from './support/let-through.ts';
import { openPage, signIn } from './support/sign-in.ts';

/** Asks a gateway to send. Nothing is done with the answer. */
async function send({ dev }: GatewayProcess, to: string): Promise<void> {
  const answer = await fetch(`${dev.base_url}/api/v1/messages/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dev.test_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to, type: 'text', text: { body: 'Hello' } }),
  });
  assert.equal(answer.status, 200);
}

describe('the console without its gateway', () => {
  let dataDir: string;
  let gateway: GatewayProcess;
  let browser: Browser;
  let page: Page;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'waypost-console-'));
    browser = await startBrowser();
    gateway = await startGatewayProcess(dataDir);
    page = await browser.newPage();
    await page.goto(gateway.dev.console_url);
    await signIn(page, gateway.dev.test_key);
    await openPage(page, 'Messages');
    await page.getByText('Live', { exact: true }).waitFor();
  });
  after(async () => {
    await browser?.close();
    await gateway?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('says that the connection is lost, and tells a failed call with a way to try again', async () => {
    await gateway.stop();
    await page.getByText('Connection lost').waitFor();
    await openPage(page, 'Channels');
    await page.getByRole('alert').getByText('The gateway cannot be reached').waitFor();
  });

  it('goes on by itself when the gateway is back, and has missed nothing', async () => {
    await openPage(page, 'Messages');
    await page.getByLabel('Direction').selectOption('outbound');
    await page.getByRole('alert').waitFor();
    const { port } = new URL(gateway.dev.base_url);
    gateway = await startGatewayProcess(dataDir, { PORT: port });
    await send(gateway, '+447700900131');
    await page.getByText('Live', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /\+447700900131/ })
      .getByText('read', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('says with what something between refuses it, and goes on by itself when it is let through', async () => {
    const proxied = await browser.newPage();
    await proxied.route('**/api/v1/events/stream', (route) =>
      route.fulfill({ status: 403, body: '<h1>Forbidden</h1>' }),
    );
    await proxied.goto(gateway.dev.console_url);
    await signIn(proxied, gateway.dev.test_key);
    await proxied.getByText('No live updates (status 403): trying again').waitFor();
    await letThrough(proxied);
    await proxied.getByText('Live', { exact: true }).waitFor();
    await proxied.route('**/api/v1/events?*', (route) => route.fulfill({ status: 401, body: 'Sign in' }), { times: 1 });
    await proxied.reload();
    await proxied.getByText('No live updates (status 401): trying again').waitFor();
    await proxied.getByText('Live', { exact: true }).waitFor();
  });
});
