import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type GatewayProcess, startGatewayProcess } from '../../test/support/process.ts';
import { startBrowser } from './support/browser.ts';
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
});
