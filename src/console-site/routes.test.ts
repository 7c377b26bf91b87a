import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { callApi } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { createRateLimits } from '../http/rate-limit.ts';
import { createServer } from '../http/server.ts';
import { systemClock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import { consoleRoutes } from './routes.ts';

describe('the console', () => {
  let folder: string;
  let server: FastifyInstance;
  let url: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waypost-console-'));
    server = createServer({
      routes: consoleRoutes(join(folder, 'dist')),
      authenticate: async () => {
        throw new ApiError('invalid_api_key', 'No key is valid here.');
      },
      rateLimits: createRateLimits({ requests: 1, recipients: 1 }, systemClock),
      docsUrl: () => 'http://localhost/docs/errors',
      accepting: () => true,
      log: pino({ level: 'silent' }),
    });
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const get = (path: string, method = 'GET') => callApi(url, method, path, { key: null });

  it('says how to build it until it is built, and is there from then on', async () => {
    const missing = await get('/console');
    assert.equal(missing.status, 503);
    assert.match(missing.text, /npm run build:console/);
    assert.equal(missing.headers.get('content-type'), 'text/plain; charset=utf-8');
    await mkdir(join(folder, 'dist/assets/inner'), { recursive: true });
    await writeFile(join(folder, 'dist/index.html'), '<!doctype html><script src="./assets/index-4fG_-x.js"></script>');
    await writeFile(join(folder, 'dist/.built-from'), 'secret');
    await writeFile(join(folder, 'dist/assets/index-4fG_-x.js'), 'run()');
    await writeFile(join(folder, 'dist/assets/index-4fG_-x.css'), 'p {}');
    for (const path of ['/console', '/console/', '/console?key=1']) {
      const page = await get(path);
      assert.equal(page.status, 200, path);
      const script = /src="(.*?)"/.exec(page.text)?.[1] ?? '';
      for (const base of [url, 'https://a.example/below/a/path']) {
        const address = new URL(script, base + path).href;
        assert.equal(address, `${base}/console/assets/index-4fG_-x.js`, 'wherever a proxy puts it');
      }
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(page.headers.get('cache-control'), 'no-cache');
    }
  });

  it('has assets that a browser keeps for ever', async () => {
    const script = await get('/console/assets/index-4fG_-x.js');
    assert.equal(script.text, 'run()');
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const style = await get('/console/assets/index-4fG_-x.css');
    assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8');
  });

  it('allows nothing from elsewhere, nothing inline and no frame around it, on every answer', async () => {
    for (const path of ['/console', '/console/assets/index-4fG_-x.js']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy')?.split('; ') ?? [];
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
        assert.ok(policy.includes(rule), rule);
      for (const rule of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "img-src 'self' data:"])
        assert.ok(policy.includes(rule), rule);
      assert.ok(!/unsafe|\*|https?:/.test(policy.join()));
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
    }
  });

  it('has no other files, and no other methods', async () => {
    const paths = ['assets/absent.js', 'assets/inner', 'assets/', 'index.html', '.built-from', 'assets/.built-from'];
    const long = `assets/${'a'.repeat(300)}.js`;
    const ways = ['assets/..%2f.built-from', 'assets/%2e%2e/.built-from', 'assets/..%5c.built-from', '%00'];
    for (const path of [...paths, ...ways, long]) assertProblem(await get(`/console/${path}`), 'not_found');
    for (const path of ['/console', '/console/', '/console/assets/index-4fG_-x.js']) {
      const answer = await get(path, 'POST');
      assertProblem(answer, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), 'GET, HEAD');
    }
  });
});
