import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { read } from '../support/tree.ts';
import { PAGES } from './blocks.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

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
