import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { API_ERROR_DOCS } from '../../src/kernel/error-docs.ts';
import { API_ERRORS, type ApiErrorCode } from '../../src/kernel/errors.ts';
import { MESSAGE_ERROR_DOCS } from '../../src/kernel/message-error-docs.ts';
import { isMessageError, MESSAGE_ERRORS, presentMessageError } from '../../src/kernel/message-errors.ts';
import { type CallOptions, startTestGateway, type TestAnswer, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { callRaw } from '../support/raw-http.ts';
import { read } from '../support/tree.ts';
import { blocksOf, PAGES } from './blocks.ts';

/** Errors that no call can cause at will. Other tests cause them, with a broken database and with a provider that is away. */
const NOT_PROVOKED = ['internal_error', 'unavailable', 'rate_limited'];
const SEND = '/api/v1/messages/send';
const WEBHOOK = '/api/messaging/webhook';
const TEXT = { type: 'text', text: { body: 'Your parcel is here' } };
const BODY = { to: '+447700900123', ...TEXT };

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

// All at the same time, because some sends are refused for some seconds before they end.
describe('the page of an error', { concurrency: true }, () => {
  it('is there for every code, and tells why it comes and what to do', () => {
    for (const code of [...Object.keys(API_ERRORS), ...Object.keys(MESSAGE_ERRORS)]) {
      const page = read(`docs/errors/${code}.md`);
      assert.match(
        page,
        new RegExp(`^# ${code}\\n\\n[\\s\\S]+\\n## Why\\n\\n[\\s\\S]+\\n## What to do\\n\\n[\\s\\S]+\\n- `),
      );
      assert.match(page, /\n## Example\n[\s\S]*```json\n/);
    }
  });

  it('of a message shows what the sandbox brings about by the send on it', async () => {
    const docs = Object.entries(MESSAGE_ERROR_DOCS).filter(([, { tryIt }]) => tryIt !== null);
    assert.equal(docs.length, Object.keys(MESSAGE_ERRORS).length - 1);
    await Promise.all(
      docs.map(async ([code, { tryIt, seen }]) => {
        const { json } = await gateway.call('POST', SEND, { body: tryIt });
        const { error } = json.results.at(-1);
        if (error.provider !== undefined) error.provider.trace_id = '<TRACE_ID>';
        const stored = { code, ...seen };
        assert.ok(isMessageError(stored));
        assert.deepEqual(error, presentMessageError(stored, `${gateway.url}/docs/errors`));
      }),
    );
  });

  it('of a whole request shows what the gateway answers', async () => {
    const provoked = await provoke();
    assert.deepEqual(
      [...Object.keys(provoked), ...NOT_PROVOKED].toSorted(),
      Object.keys(API_ERRORS).toSorted(),
      'Every code is provoked, or is in the list above',
    );
    for (const [code, { json, headers }] of Object.entries(provoked)) {
      const doc = Object.entries(API_ERROR_DOCS).find(([name]) => name === code)?.[1];
      assert.deepEqual([json.code, json.detail, json.errors], [code, doc?.detail, doc?.errors]);
      for (const [name, value] of Object.entries(doc?.headers ?? {})) assert.equal(headers.get(name), value, code);
    }
  });
});

describe('an error that another page shows', () => {
  it('has the words that the gateway has for its code', () => {
    const words: Record<string, object> = { ...API_ERRORS, ...MESSAGE_ERRORS };
    const shown = PAGES.filter((page) => !page.startsWith('docs/errors/')).flatMap((page) =>
      blocksOf(page, 'json').flatMap((block) => errorsIn(JSON.parse(block)).map((error) => ({ page, error }))),
    );
    assert.ok(shown.length > 3);
    for (const { page, error } of shown)
      for (const [name, word] of Object.entries(words[String(error.code)] ?? {}))
        if (name === 'message' && name in error)
          assert.ok(`${error.message}:`.startsWith(`${word}:`), `${page}: ${error.code}`);
        else if (name in error && name !== 'code') assert.deepEqual(error[name], word, `${page}: ${error.code}`);
  });
});

/** The objects with a code in a JSON example. */
function errorsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(errorsIn);
  return 'code' in value ? [{ ...value }, ...inside] : inside;
}

/** The answer to a call that causes each code. */
async function provoke(): Promise<Partial<Record<ApiErrorCode, TestAnswer>>> {
  const send = (call: CallOptions) => gateway.call('POST', SEND, { body: BODY, ...call });
  const account = await gateway.createAccount('Suspended');
  const suspended = await gateway.createKey({ accountId: account });
  const platform = { key: gateway.platformKey };
  await gateway.call('PATCH', `/platform/v1/accounts/${account}`, { ...platform, body: { suspended: true } });
  const channel = {
    phone_number_id: '1001',
    business_account_id: '1002',
    display_phone_number: '+15550783881',
    access_token: 'a-token',
    mode: 'test',
  };
  const connect = (more = {}) => {
    const path = `/platform/v1/accounts/${gateway.accountId}/channels`;
    return gateway.call('POST', path, { ...platform, body: { ...channel, ...more } });
  };
  await send({ headers: { 'idempotency-key': 'done' } });
  // Refused twice before it is taken, so that the send runs for some seconds.
  const slow = { body: { to: '+15552000005', ...TEXT }, headers: { 'idempotency-key': 'slow' } };
  const many = Array.from({ length: 51 }, (_, place) => `+4477009001${String(place).padStart(2, '0')}`);
  return {
    bad_http: await callRaw(gateway.url, { headers: ['content-length', '1', 'content-length', '2'] }),
    malformed_json: await send({ body: '{"to": "x",}' }),
    idempotency_key_invalid: await send({ headers: { 'idempotency-key': 'two words' } }),
    invalid_api_key: await send({ key: null }),
    invalid_signature: await gateway.call('POST', WEBHOOK, { body: {} }),
    insufficient_scope: await send({ key: await gateway.createKey({ scopes: ['messages:read'] }) }),
    account_suspended: await send({ key: suspended }),
    verification_failed: await gateway.call('GET', `${WEBHOOK}?hub.mode=subscribe`, { key: null }),
    not_found: await gateway.call('GET', '/api/v1/messages/msg_01h455vb4pex5vsknk084sn02q'),
    method_not_allowed: await gateway.call('GET', SEND),
    idempotency_in_flight: await Promise.race([send(slow), send(slow)]),
    payload_too_large: await send({ body: JSON.stringify({ ...BODY, client_reference: 'a'.repeat(1 << 20) }) }),
    unsupported_media_type: await send({ headers: { 'content-type': 'text/plain' } }),
    invalid_request: await send({ body: { to: '+447700900123', type: 'text', txt: {} } }),
    too_many_recipients: await send({ body: { to: many, ...TEXT } }),
    idempotency_mismatch: await send({
      body: { ...BODY, to: '+447700900124' },
      headers: { 'idempotency-key': 'done' },
    }),
    no_channel: await send({ key: await gateway.createKey({ mode: 'live' }) }),
    unknown_channel: await send({ body: { ...BODY, from: '+15550000000' } }),
    channel_taken: await connect().then(() => connect()),
    channel_refused: await connect({ access_token: 'refused' }),
  };
}

const get = (path: string, headers: Record<string, string> = {}) => gateway.call('GET', path, { key: null, headers });
const FILES = PAGES.filter((page) => page.startsWith('docs/')).map((page) => page.slice('docs/'.length));
const addressOf = (file: string) => `/docs/${file}`.replace(/\.md$/, '').replace(/\/README$/, '');

describe('the served documentation', () => {
  it('has every page, as HTML with a title of its own, one navigation and no scripts', async () => {
    const titles = new Set<string>();
    for (const file of FILES) {
      const { status, headers, text } = await get(addressOf(file));
      assert.equal(status, 200, file);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      const title = /<title>(.+)<\/title>/.exec(text)?.[1] ?? '';
      assert.ok(title !== '' && !titles.has(title), `${file} has the title ${title}`);
      titles.add(title);
      assert.equal(text.match(/<h1[ >]/g)?.length, 1, `${file} has one heading of its own`);
      assert.equal(text.match(/<nav /g)?.length, 1);
      assert.doesNotMatch(text, /<script|<iframe|style="|\son\w+=/);
    }
  });

  it('has links that lead somewhere, wherever a proxy puts it', async () => {
    const links = new Map<string, string>();
    const anchors = new Map<string, Set<string>>();
    for (const file of FILES) {
      const address = addressOf(file);
      const { text } = await get(address);
      anchors.set(address, new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id)));
      for (const [, href = ''] of text.matchAll(/\b(?:href|src)="([^"]+)"/g)) {
        if (/^(https|data):/.test(href)) continue;
        assert.ok(!href.startsWith('/'), `${address} links to ${href}`);
        links.set(new URL(href, `http://gateway${address}`).href.replace('http://gateway', ''), address);
      }
    }
    for (const [link, from] of links) {
      const [path = '', anchor] = link.split('#', 2);
      if (anchor !== undefined) assert.ok(anchors.get(path)?.has(anchor), `${from} links to ${link}`);
      else if (!anchors.has(path)) assert.equal((await get(path)).status, 200, `${from} links to ${link}`);
    }
  });

  it('has its pictures, and no other file beside them', async () => {
    const picture = await get('/docs/pictures/console-send.png');
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
    for (const path of ['pictures/', 'pictures/none.png', 'pictures/..%2fopenapi.json'])
      assertProblem(await get(`/docs/${path}`), 'not_found');
  });

  it('loads nothing from anywhere else', async () => {
    const { headers, text } = await get('/docs/sending');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'none';/);
    assert.match(text, /<link rel="icon" href="data:,">/, 'or a browser asks for /favicon.ico, which there is not');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    const style = await get('/docs/style.css');
    assert.deepEqual([style.status, style.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
    assert.doesNotMatch(style.text, /url\(|@import/);
  });

  it('gives the Markdown to who asks for it', async () => {
    const source = read('docs/guides/operate.md');
    const asked = await get('/docs/guides/operate', { accept: 'text/markdown' });
    const ended = await get('/docs/guides/operate.md');
    for (const { headers, text } of [asked, ended]) {
      assert.equal(text, source);
      assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8');
    }
  });

  it("has the client's page, which stands in the client's package, and the API's description where the pages link it", async () => {
    const html = await get('/docs/client');
    assert.match(html.text, /<title>@waypost\/client - Waypost<\/title>/);
    assert.match(html.text, /<a href="api">/);
    assert.equal((await get('/docs/client.md')).text, read('client/README.md'));
    assert.match((await get('/docs')).text, /<nav [\s\S]*<a href="docs\/client">The client<\/a>/);
    const description = await get('/docs/openapi.json');
    assert.deepEqual([description.status, description.headers.get('location')], [308, '../openapi.json']);
  });

  it('is found with a slash at the end of its address too', async () => {
    const { status, headers } = await get('/docs/');
    assert.deepEqual([status, new URL(headers.get('location') ?? '', `${gateway.url}/docs/`).pathname], [308, '/docs']);
  });

  it('leads nowhere else: what is not in its list is not found', async () => {
    const wanted = ['nowhere', 'errors/nowhere', 'errors/', 'style', '../package.json', '..%2Fpackage.json'];
    const odd = [
      '%2e%2e/README.md',
      'guides/../../README.md',
      '..%5cREADME.md',
      'sending%00',
      '/etc/passwd',
      '__proto__',
    ];
    for (const path of [...wanted, ...odd]) assertProblem(await get(`/docs/${path}`), 'not_found');
  });
});
