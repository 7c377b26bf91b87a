import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type GatewayProcess, startGatewayProcess } from '../../../test/support/process.ts';
import { startBrowser } from './browser.ts';
import { watchPage } from './watch-page.ts';

export interface World {
  gateway: GatewayProcess;
  browser: Browser;
  /** A customer's endpoint, which answers 200; with `?gone` 410. */
  endpointUrl: string;
  /** What went wrong on the pages so far; empty if all is well. */
  complaints: string[];
  /** Opens a new page, on which nobody is signed in. Its complaints are collected. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Calls the gateway from outside the browser, with the first test key if no other key is given. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Record<string, unknown>>;
  /** Makes an account with a key. No other test knows them. */
  makeAccount(name: string): Promise<MadeAccount>;
  sandbox(path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

export interface MadeAccount {
  id: string;
  key: string;
  /** The ids by which the provider knows the account's channel. */
  phoneNumberId: string;
  businessAccountId: string;
}

/** A gateway as `npm start` starts it, with the built console, a browser and a customer's endpoint. */
export async function startWorld(env: Record<string, string> = {}): Promise<World> {
  // One after the other: where there is no browser, a gateway that was begun with it would be left behind, and keep the test from its end.
  const browser = await startBrowser();
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-console-'));
  const gateway = await startGatewayProcess(dataDir, env);
  const endpoint = createServer((request, answer) => {
    if (request.url?.endsWith('?gone')) answer.statusCode = 410;
    request.resume().on('end', () => answer.end('Thank you'));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const address = endpoint.address();
  const complaints: string[] = [];
  return {
    gateway,
    browser,
    endpointUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/events`,
    complaints,
    async open(options = {}) {
      const context = await browser.newContext({
        ...{ viewport: { width: 1280, height: 800 }, locale: 'en-GB', timezoneId: 'Europe/London' },
        ...options,
      });
      const page = await context.newPage();
      watchPage(page, gateway.dev.base_url, complaints);
      await page.goto(gateway.dev.console_url);
      return page;
    },
    call: (method, path, body, key = gateway.dev.test_key) =>
      callJson(`${gateway.dev.base_url}${path}`, method, body, key),
    async makeAccount(name) {
      const platform = (method: string, path: string, body?: unknown) =>
        callJson(`${gateway.dev.base_url}/platform/v1/accounts${path}`, method, body, gateway.dev.platform_key);
      const id = String((await platform('POST', '', { name })).id);
      const { key } = await platform('POST', `/${id}/keys`, { name: 'Console', mode: 'test' });
      const { data } = await platform('GET', `/${id}/channels`);
      const channel = Object(Array.isArray(data) ? data[0] : undefined);
      const { phone_number_id: phoneNumberId, business_account_id: businessAccountId } = channel;
      return { id, key: String(key), phoneNumberId, businessAccountId };
    },
    async sandbox(path, body) {
      await callJson(`${gateway.dev.sandbox_url}/_sandbox/${path}`, 'POST', body, '');
    },
    async stop() {
      await browser.close();
      endpoint.closeAllConnections();
      endpoint.close();
      await gateway.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function callJson(url: string, method: string, body: unknown, key: string): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} was answered with ${answer.status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}
