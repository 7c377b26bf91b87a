import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { lineOf } from '../support/notifications.ts';
import { blocksOf, PAGES } from './blocks.ts';

/** Pages whose shell lines work with the gateway of `npm start`. */
const PASTED = [
  ...['quick-start', 'sending', 'templates', 'idempotency', 'statistics', 'receiving-events'],
  ...['inbound', 'sandbox', 'api-promises'],
];
/** Lines that start a program, or that do not end. */
const NOT_PASTED = /^npm |curl -sSN/;

let gateway: TestGateway;
let folder: string;
before(async () => {
  gateway = await startTestGateway({ callback: true });
  folder = await mkdtemp(join(tmpdir(), 'waypost-docs-'));
  await mkdir(join(folder, '.waypost'));
  const dev = { base_url: gateway.url, test_key: gateway.testKey };
  await writeFile(join(folder, '.waypost/dev.json'), JSON.stringify(dev));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

describe('the examples of JSON in the pages', () => {
  it('are JSON', () => {
    for (const page of PAGES)
      for (const block of blocksOf(page, 'json')) assert.doesNotThrow(() => JSON.parse(block), `${page}: ${block}`);
  });

  it('that are the body of a send are taken as one, and outside the pages of errors every recipient is valid', async () => {
    let bodies = 0;
    for (const page of PAGES)
      for (const block of blocksOf(page, 'json').filter((text) => isSend(JSON.parse(text)))) {
        const { status, json, text } = await gateway.call('POST', '/api/v1/messages/validate', { body: block });
        assert.equal(status, 200, `${page}: ${text}`);
        if (!page.startsWith('docs/errors/')) assert.equal(json.invalid_count, 0, `${page}: ${text}`);
        bodies++;
      }
    assert.ok(bodies > 30, `${bodies} were found`);
  });
});

describe('the shell lines of', () => {
  for (const page of PASTED)
    it(`${page} can be pasted, and every call is answered with success`, async () => {
      const blocks = blocksOf(`docs/${page}.md`, 'sh').filter((block) => !NOT_PASTED.test(block));
      assert.ok(blocks.length > 0);
      const { code, output } = await paste(await fill(blocks.join('\n')));
      assert.equal(code, 0, output);
      if (/"accepted_count"/.test(output)) assert.match(output, /"accepted_count":[1-9]/);
    });
});

function isSend(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && 'to' in value && !('id' in value);
}

/** Fills in what a reader knows and the page cannot. */
async function fill(script: string): Promise<string> {
  const { phoneNumberId, businessAccountId } = await lineOf(gateway, gateway.accountId);
  return script
    .replaceAll('http://127.0.0.1:8080', gateway.url)
    .replaceAll('http://127.0.0.1:8081', gateway.sandbox.url)
    .replaceAll('<TEST_KEY>', gateway.testKey)
    .replaceAll('<PHONE_NUMBER_ID>', phoneNumberId)
    .replaceAll('<BUSINESS_ACCOUNT_ID>', businessAccountId);
}

/** Runs the lines in one shell, as a reader does who pastes them one after another. An answer of 400 or more ends it. */
async function paste(script: string): Promise<{ code: number; output: string }> {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env: { PATH: path } });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (output += chunk));
  shell.stdin.end(`curl() { command curl --fail-with-body "$@"; }\n${script}`);
  const [code] = await once(shell, 'close');
  return { code, output };
}
