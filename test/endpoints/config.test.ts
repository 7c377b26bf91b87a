import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, loadConfig } from '../../src/config.ts';

describe('WAYPOST_LOCAL_ENDPOINTS', () => {
  it('is on by default where the gateway itself is on loopback, and not in production', () => {
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      assert.ok(loadConfig({ HOST }).localEndpoints, HOST);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'])
      assert.ok(!loadConfig({ HOST }).localEndpoints, HOST);
    const production = {
      NODE_ENV: 'production',
      WAYPOST_APP_SECRETS: 'a',
      WAYPOST_VERIFY_TOKENS: 'b',
      WAYPOST_PLATFORM_KEYS: `wp_root_${'a'.repeat(32)}`,
      WAYPOST_MASTER_KEY: Buffer.alloc(32).toString('base64'),
      WAYPOST_PUBLIC_URL: 'https://gateway.test',
    };
    assert.equal(loadConfig(production).localEndpoints, false);
    assert.equal(loadConfig({ ...production, WAYPOST_LOCAL_ENDPOINTS: 'on' }).localEndpoints, true);
  });

  it('is what it is set to', () => {
    assert.equal(loadConfig({ WAYPOST_LOCAL_ENDPOINTS: 'off' }).localEndpoints, false);
    assert.equal(loadConfig({ HOST: '0.0.0.0', WAYPOST_LOCAL_ENDPOINTS: 'on' }).localEndpoints, true);
    assert.throws(() => loadConfig({ WAYPOST_LOCAL_ENDPOINTS: 'yes' }), ConfigError);
  });
});
