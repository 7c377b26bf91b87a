import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { installPacked, type Project } from './install-packed.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const EXAMPLES = [...README.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

describe('the packed client', () => {
  let project: Project;
  let gateway: TestGateway;
  const children: ChildProcess[] = [];
  before(async () => {
    // The gateway comes first, because `after` stops it even if the installation fails. Left running it would keep this process waiting for
    // ever.
    gateway = await startTestGateway({ callback: true });
    project = await installPacked();
  });
  after(async () => {
    // A child that is left when its test fails would keep this process waiting for ever.
    for (const child of children) child.kill();
    await gateway.stop();
    await project.remove();
  });

  it('has what it needs and nothing else', () => {
    const expected = /^(dist\/[a-z-]+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/;
    assert.deepEqual(
      project.packed.filter((path) => !expected.test(path)),
      [],
    );
    assert.deepEqual(
      project.packed.filter((path) => path.includes('test')),
      [],
    );
    for (const path of ['dist/index.js', 'dist/index.d.ts', 'README.md', 'LICENSE'])
      assert.ok(project.packed.includes(path), path);
  });

  it('has a page whose links lead to what is in the package, and which names pages that the gateway has', async () => {
    const page = readFileSync(join(project.dir, 'node_modules/@waypost/client/README.md'), 'utf8');
    const links = [...page.matchAll(/\]\(([^)]*)\)/g)].map(([, to = '']) => to);
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchorOf(text));
    assert.deepEqual(
      links.filter((to) => !headings.includes(to.replace('#', '')) && !project.packed.includes(to)),
      [],
    );
    const named = [...page.matchAll(/`(\/docs\/[a-z-]+)(?:#([a-z-]+))?`/g)];
    assert.ok(named.length > 0);
    for (const [, path = '', heading] of named) {
      const answer = await fetch(gateway.url + path);
      assert.equal(answer.status, 200, path);
      const html = await answer.text();
      if (heading !== undefined) assert.ok(html.includes(`id="${heading}"`), `${path}#${heading}`);
    }
  });

  it('has examples that work as they stand: sending, repeating, reading events', async () => {
    const [sending = '', repeating = '', reading = ''] = EXAMPLES;
    assert.match(await outputOf(sending), /^\+447700900123 was taken as msg_\w+\n0770 failed: invalid_recipient\n$/);
    assert.equal(await outputOf(repeating), 'true true\n');
    assert.match(await outputOf(reading), /^\d+ message\.delivered \+447700900123\n$/);
  });

  it('has an example that receives and verifies', async () => {
    // The secret must be known before there is an address, so the endpoint is first made for an address where nobody listens.
    const created = await gateway.call('POST', '/api/v1/endpoints', { body: { url: 'http://127.0.0.1:9/' } });
    const { output } = start(EXAMPLES[3] ?? '', { PORT: '0', WEBHOOK_SECRET: created.json.secret });
    const [, port] = await until(() => /port (\d+)/.exec(output()));
    const path = `/api/v1/endpoints/${created.json.id}`;
    await gateway.call('PATCH', path, { body: { url: `http://127.0.0.1:${port}/` } });
    const tested = await gateway.call('POST', `${path}/test`);
    assert.equal(tested.json.http_status, 204);
    await until(() => /evt_\w+ endpoint\.test/.test(output()));
    const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    assert.equal(forged.status, 401);
    await until(() => /header_missing/.test(output()));
    const sender = connect(Number(port), '127.0.0.1');
    sender.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{', () => sender.destroy());
    await until(() => /aborted/.test(output()));
    const afterwards = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    assert.equal(afterwards.status, 401, 'one who hangs up in the middle does not end it');
  });

  it('is found by require, and by tools that do not read exports', async () => {
    const path = join(project.dir, 'required.cjs');
    writeFileSync(path, "console.log(typeof require('@waypost/client').Waypost)");
    assert.equal((await promisify(execFile)(process.execPath, [path], { cwd: project.dir })).stdout, 'function\n');
    const { main, types } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    for (const entry of [main, types]) assert.ok(project.packed.includes(String(entry).replace('./', '')), entry);
  });

  it('has types that narrow, without the types of Node, and examples of sending and of reading events that are TypeScript too', async () => {
    // Once the environment is settled, whose variables may be missing.
    const [sending = '', , reading = ''] = EXAMPLES.map((text) => text.replaceAll(/process\.env\.\w+/g, "'a'"));
    assert.equal(await project.checkTypes(CUSTOMER, sending, reading), '');
  });

  it('has types that take what a strict project has at hand: members that may be undefined, and lists that nobody may change', async () => {
    assert.equal(await project.checkTypes(STRICT_CUSTOMER), '');
  });

  it('has types that refuse what the API refuses', async () => {
    const wrong = await project.checkTypes(`${CUSTOMER}
      await waypost.send({ to: '+447700900123', type: 'text', txt: { body: 'Hi' } });
      await waypost.endpoints.create({ url: 'https://example.com', types: ['message.lost'] });
    `);
    assert.match(wrong, /txt/);
    assert.match(wrong, /message\.lost/);
  });

  async function outputOf(text: string): Promise<string> {
    const { child, output } = start(text, { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey });
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0, output());
    return output();
  }

  /** Runs a text as a module of the customer's project. */
  function start(text: string, env: Record<string, string>): { child: ChildProcess; output(): string } {
    const path = join(project.dir, `example-${EXAMPLES.indexOf(text)}.js`);
    writeFileSync(path, text);
    const child = spawn(process.execPath, [path], { cwd: project.dir, env: { PATH: process.env.PATH, ...env } });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    return { child, output: () => output };
  }
});

/** The name by which npm's page and others link a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

const CUSTOMER = `
  import { type ResultEntry, verifyWebhook, Waypost, WaypostError, type WaypostEvent } from '@waypost/client';
  const waypost = new Waypost({ baseUrl: 'https://waypost.example.com', apiKey: 'wp_live_a', fetch });
  export function name(event: WaypostEvent): string {
    switch (event.type) {
      case 'template.updated': return event.data.template.name;
      case 'channel.updated': return event.data.channel.phone_number;
      case 'account.updated': return event.data.account.name;
      case 'endpoint.disabled': return event.data.endpoint.url;
      case 'message.received': return String(event.data.message.text?.body);
      default: return event.data.message.status;
    }
  }
  export function idOf(entry: ResultEntry): string | undefined {
    // @ts-expect-error: an entry that is accepted has no error.
    if (entry.status === 'accepted') entry.error.code;
    // @ts-expect-error: it is not said yet whether there is an error.
    entry.error.code;
    return entry.status === 'failed' ? entry.error.code : entry.id;
  }
  export function reason(error: unknown): string {
    if (!(error instanceof WaypostError)) throw error;
    return error.code === 'rate_limited' ? String(error.retryAfterSeconds) : error.message;
  }
  for await (const event of waypost.events.iterate({ types: ['channel.updated'] })) console.log(event.data.channel.id);
  // @ts-expect-error: without types it may be any event.
  for await (const event of waypost.events.iterate()) console.log(event.data.channel.id);
  for await (const message of waypost.messages.iterate({ status: 'failed' })) console.log(message.error?.code);
  const event = await verifyWebhook({ headers: new Headers(), body: '', secrets: ['whsec_a'] });
  if (event.type !== 'endpoint.test') name(event);
`;

const STRICT_CUSTOMER = `
  import { Waypost } from '@waypost/client';
  const waypost = new Waypost({ baseUrl: 'https://waypost.example.com', apiKey: 'wp_live_a' });
  interface Header { type: 'header'; parameters: readonly { type: 'text'; text: string }[] }
  interface Order { phones: readonly string[]; reference?: string | undefined }
  export async function tell({ phones, reference }: Order, received: Record<string, string | string[] | undefined>) {
    await waypost.send({ to: phones, type: 'text', text: { body: 'Hi' }, client_reference: reference });
    const to = phones.map((phone) => ({ to: phone, client_reference: reference }));
    const body = { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] } as const;
    await waypost.send({ to, type: 'template', template: { name: 'a', language: 'en_US', components: [body] } });
    const own: Header = { type: 'header', parameters: [{ type: 'text', text: 'Ada' }] };
    const later = { type: 'body', parameters: [], of_a_later_version: true };
    await waypost.send({ to, type: 'template', template: { name: 'a', language: 'en_US', components: [own, later] } });
    const components = [{ type: 'body', parameters: [], of_a_later_version: true }];
    await waypost.send({ to: [{ to: '1', components: [{ type: 'body', more: 1 }] }], type: 'template', template: { name: 'a', language: 'en', components } });
    // @ts-expect-error: a component says what it is.
    await waypost.send({ to, type: 'template', template: { name: 'a', language: 'en_US', components: [{ parameters: [] }] } });
    const types = ['message.read', 'message.failed'] as const;
    const { id } = await waypost.endpoints.create({ url: 'https://example.com', types, description: reference });
    await waypost.endpoints.update(id, { types, description: undefined });
    await waypost.endpoints.checkSignature(id, { headers: received, body: '' });
  }
`;
