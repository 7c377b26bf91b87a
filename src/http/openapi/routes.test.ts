import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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

  it('costs no more to be told as known where it is a megabyte than where it is small', async () => {
    const readTag = async (path: string) => {
      const { headers, text } = await read(path);
      return { path, known: { 'if-none-match': headers.get('etag') ?? '' }, bytes: text.length };
    };
    const ask = async ({ path, known }: { path: string; known: Record<string, string> }) => {
      const begun = process.cpuUsage();
      for (let asked = 0; asked < 40; asked++) assert.equal((await read(path, known)).status, 304);
      return process.cpuUsage(begun).user;
    };
    const small = await readTag('/docs/api/start.js');
    const large = await readTag('/docs/api/redoc.js');
    assert.ok(large.bytes > 500 * small.bytes);
    // The cheapest of several rounds, in turn: what else the process and the machine do must not count.
    const costs = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 5; round++) {
      costs.small = Math.min(costs.small, await ask(small));
      costs.large = Math.min(costs.large, await ask(large));
    }
    assert.ok(costs.large < 2 * costs.small, `${costs.large} µs, not ${costs.small}`);
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
