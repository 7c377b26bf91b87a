import assert from 'node:assert/strict';
import { Hash } from 'node:crypto';
import { after, before, describe, it, mock } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';

describe('the reference of the API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.stop());

  const read = (path: string, headers: Record<string, string> = {}) =>
    gateway.call('GET', path, { key: null, headers });

  it('is served to everybody as OpenAPI, with the address under which the gateway is reached', async () => {
    const answer = await read('/openapi.json');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(answer.json.openapi, '3.1.0');
    assert.deepEqual(
      answer.json.servers.map(({ url }: { url: string }) => url),
      [gateway.url],
    );
  });

  it('is not sent again to who has it', async () => {
    const etag = (await read('/openapi.json')).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await read('/openapi.json', { 'if-none-match': known });
      assert.deepEqual([answer.status, answer.text], [304, '']);
    }
    assert.equal((await read('/openapi.json', { 'if-none-match': '"other"' })).status, 200);
  });

  it('is not hashed again for each caller, who may ask for a megabyte of it as often as they like', async () => {
    const { headers, text } = await read('/docs/api/redoc.js');
    const hashed = mock.method(Hash.prototype, 'update');
    after(() => hashed.mock.restore());
    assert.equal((await read('/docs/api/redoc.js', { 'if-none-match': headers.get('etag') ?? '' })).status, 304);
    assert.equal((await read('/docs/api/redoc.js')).text, text);
    // The other parts of the gateway hash too, but nothing of this size.
    const large = hashed.mock.calls.filter(({ arguments: [data] }) => Buffer.byteLength(data) > 100_000);
    assert.ok(text.length > 100_000);
    assert.equal(large.length, 0);
  });

  it('is a page whose policy lets in nothing from another origin, and whose parts ask for nothing there', async () => {
    const page = await read('/docs/api');
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https?:|\*|script-src[^;]*unsafe/);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    assert.deepEqual(
      parts.filter((path) => /^(https?:)?\/\//.test(path)),
      [],
    );
    for (const path of parts.filter((each) => each.endsWith('.js'))) {
      const script = await read(`/docs/${path}`);
      assert.equal(script.status, 200);
      assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
      assert.doesNotMatch(script.text, /cdn\.redoc/);
    }
  });
});
