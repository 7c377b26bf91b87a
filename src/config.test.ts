import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { validateHeaderValue } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigError, loadConfig } from './config.ts';
import { describeSettings } from './config-print.ts';
import type { Environment } from './setting-reader.ts';
import { SETTINGS } from './settings.ts';

const PLATFORM_KEY = `wp_root_${'a1'.repeat(16)}`;
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const PRODUCTION = {
  NODE_ENV: 'production',
  WAYPOST_PUBLIC_URL: 'https://api.example.com/',
  WAYPOST_APP_SECRETS: 'new-secret, old-secret',
  WAYPOST_VERIFY_TOKENS: 'token',
  WAYPOST_PLATFORM_KEYS: PLATFORM_KEY,
  WAYPOST_MASTER_KEY: MASTER_KEY,
};

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-config-'));
});
after(() => rm(folder, { recursive: true }));

describe('settings', () => {
  it('have the documented defaults', () => {
    const config = loadConfig({});
    assert.equal(config.production, false);
    assert.deepEqual(
      [config.host, config.port, config.metricsPort, config.sandboxPort],
      ['127.0.0.1', 8080, 9464, 8081],
    );
    assert.deepEqual([config.publicUrl, config.databaseUrl, config.sandbox], [undefined, undefined, true]);
    assert.deepEqual([config.providerUrl, config.providerVersion], ['https://graph.facebook.com', 'v25.0']);
    assert.deepEqual([config.sendDeadlineMs, config.providerTimeoutMs], [25_000, 10_000]);
    assert.deepEqual([config.rateRequests, config.rateRecipients], [50, 500]);
  });

  it('are all read: none is in the table for nothing', () => {
    const asked = new Set<string | symbol>();
    const given: Environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    loadConfig(
      new Proxy(given, {
        get(from, name) {
          asked.add(name);
          return Reflect.get(from, name);
        },
      }),
    );
    assert.deepEqual(
      SETTINGS.map(({ name }) => name).filter((name) => !asked.has(name)),
      [],
    );
  });

  it('that are empty or blank count as not given', () => {
    assert.equal(loadConfig({ PORT: '', HOST: '  ' }).port, 8080);
    assert.equal(loadConfig({ PORT: '', HOST: '  ' }).host, '127.0.0.1');
  });

  it('may switch the internal listener off', () => {
    assert.equal(loadConfig({ WAYPOST_METRICS_PORT: 'off' }).metricsPort, undefined);
    assert.equal(loadConfig({ WAYPOST_METRICS_PORT: '0' }).metricsPort, 0);
  });

  it('are not what Kubernetes tells of a service named waypost-metrics', () => {
    const told = { WAYPOST_METRICS_PORT: 'tcp://10.0.0.7:9464', WAYPOST_SANDBOX_PORT: 'tcp://10.0.0.8:8081' };
    const { metricsPort, sandboxPort } = loadConfig(told);
    assert.deepEqual([metricsPort, sandboxPort], [9464, 8081]);
    assert.match(describeSettings(told), /^WAYPOST_METRICS_PORT +9464 +9464 /m);
  });

  it('let endpoints be local only where this process is for itself, unless told', () => {
    const local = (environment: Record<string, string>) => loadConfig(environment).localEndpoints;
    for (const HOST of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) {
      assert.equal(local({ HOST }), true, HOST);
      assert.equal(local({ ...PRODUCTION, HOST }), false, `${HOST} in production`);
      assert.equal(local({ HOST, WAYPOST_LOCAL_ENDPOINTS: 'off' }), false, `${HOST}, told`);
    }
    for (const HOST of ['0.0.0.0', '::', '192.168.0.7', '127.0.0.1.example.com', '127.example.com']) {
      assert.equal(local({ HOST }), false, HOST);
      assert.equal(local({ HOST, WAYPOST_LOCAL_ENDPOINTS: 'on' }), true, `${HOST}, told`);
    }
  });

  it('that are wrong are named all at once', () => {
    const wrong = {
      NODE_ENV: 'Production',
      PORT: '80a',
      WAYPOST_PUBLIC_URL: 'ftp://example.com',
      WAYPOST_DATA_DIR: '/proc/waypost',
      DATABASE_URL: 'mysql://user:geheim@127.0.0.1/waypost',
      WAYPOST_SANDBOX: 'yes',
      WAYPOST_METRICS_PORT: '70000',
      WAYPOST_SEND_DEADLINE_MS: '-1',
      WAYPOST_RATE_RECIPIENTS: '49',
      WAYPOST_LOG_LEVEL: 'loud',
      WAYPOST_PROVIDER_VERSION: '25',
      WAYPOST_PLATFORM_KEYS: 'wp_root_short',
      WAYPOST_MASTER_KEY: 'c2hvcnQ=',
    };
    assertFaults(wrong, Object.keys(wrong));
  });

  it('name the word that turns the internal listener off where it is written in another way', () => {
    for (const WAYPOST_METRICS_PORT of ['OFF', 'none'])
      assert.match(
        messageOf({ WAYPOST_METRICS_PORT }),
        /WAYPOST_METRICS_PORT must be a whole number from 0 to 65535, or off$/,
      );
  });

  it('may give a stop no notice that uses up its budget', () => {
    const stop = (noticeMs: number, budgetMs: number) => ({
      WAYPOST_STOP_NOTICE_MS: String(noticeMs),
      WAYPOST_STOP_BUDGET_MS: String(budgetMs),
    });
    assertFaults(stop(2_500, 2_000), ['WAYPOST_STOP_NOTICE_MS']);
    assertFaults(stop(2_000, 2_000), ['WAYPOST_STOP_NOTICE_MS']);
    assert.equal(loadConfig(stop(1_999, 2_000)).stopNoticeMs, 1_999);
    assert.equal(loadConfig(stop(0, 0)).stopBudgetMs, 0, 'whoever wants no draining at all may have that');
  });

  it('never show a secret when they are wrong', () => {
    const secret = 'wp_root_geheim';
    const message = messageOf({ WAYPOST_PLATFORM_KEYS: secret, WAYPOST_MASTER_KEY: 'geheim' });
    assert.ok(!message.includes('geheim'), message);
  });

  it('take nothing but 32 bytes in base64 for a master key, with its last sign or without', () => {
    const bare = `${'a1+/'.repeat(10)}abc`;
    for (const right of [bare, `${bare}=`, ` ${bare}=\r`])
      assert.equal(loadConfig({ WAYPOST_MASTER_KEY: right }).secrets.masterKey, right.trim());
    const joined = `${bare}= WAYPOST_PLATFORM_KEYS=${PLATFORM_KEY}`;
    for (const wrong of [joined, `${bare}==`, `${bare}=a`, `"${bare}="`, `${bare.slice(0, 20)} ${bare.slice(20)}=`])
      assertFaults({ WAYPOST_MASTER_KEY: wrong }, ['WAYPOST_MASTER_KEY']);
    assertFaults({ WAYPOST_MASTER_KEY: bare.replaceAll('+', '-').replaceAll('/', '_') }, ['WAYPOST_MASTER_KEY']);
    assertFaults({ WAYPOST_MASTER_KEY: bare.slice(1) }, ['WAYPOST_MASTER_KEY']);
  });

  it('keep the secret of the sandbox apart from those of the provider', () => {
    const secrets = (sandbox: string) => ({ WAYPOST_APP_SECRETS: 'new,geheim', WAYPOST_SANDBOX_APP_SECRET: sandbox });
    assertFaults(secrets('geheim'), ['WAYPOST_SANDBOX_APP_SECRET']);
    assert.ok(!messageOf(secrets('geheim')).includes('geheim'));
    assert.equal(loadConfig(secrets('another')).secrets.sandboxAppSecret, 'another');
  });

  it('may hold several secrets, the first of them current', () => {
    assert.deepEqual(loadConfig(PRODUCTION).secrets.appSecrets, ['new-secret', 'old-secret']);
  });

  it('may hold a secret in a file, one value a line', async () => {
    await writeFile(join(folder, 'secrets'), 'new-secret\n old-secret \n\n');
    await writeFile(join(folder, 'master'), `${MASTER_KEY}\n`);
    const { secrets } = loadConfig({
      WAYPOST_APP_SECRETS_FILE: join(folder, 'secrets'),
      WAYPOST_MASTER_KEY_FILE: join(folder, 'master'),
    });
    assert.deepEqual(secrets.appSecrets, ['new-secret', 'old-secret']);
    assert.equal(secrets.masterKey, MASTER_KEY);
  });

  it('in a file are parted at line ends only: a comma belongs to its secret', async () => {
    await writeFile(join(folder, 'tokens'), 'first,with,commas\r\nsecond\r\n');
    const { secrets } = loadConfig({ WAYPOST_VERIFY_TOKENS_FILE: join(folder, 'tokens') });
    assert.deepEqual(secrets.verifyTokens, ['first,with,commas', 'second']);
  });

  it('are not given twice, once as they are and once in a file', async () => {
    await writeFile(join(folder, 'other'), 'other-secret\n');
    for (const { name, kind } of SETTINGS)
      if (kind === 'secret' || kind === 'secrets') {
        const both = { [name]: 'hidden-word', [`${name}_FILE`]: join(folder, 'other') };
        const message = messageOf({ ...PRODUCTION, ...both });
        assert.match(message, new RegExp(`^  - ${name} and ${name}_FILE are both given`, 'm'));
        assert.doesNotMatch(message, /hidden-word|other-secret/);
      }
  });

  it('that name a file which is not there are wrong', () => {
    assertFaults({ WAYPOST_MASTER_KEY_FILE: join(folder, 'missing') }, ['WAYPOST_MASTER_KEY_FILE']);
  });

  it('that name a file which is not there are not missing as well: one mistake is one fault', () => {
    const names = SETTINGS.filter(({ kind }) => kind === 'secret' || kind === 'secrets').map(({ name }) => name);
    const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, 'missing')]));
    const environment = { NODE_ENV: 'production', WAYPOST_PUBLIC_URL: 'https://waypost.example', ...files };
    assertFaults(environment, Object.keys(files));
  });

  it('that name a file with nothing in it are wrong: it is no way to leave them out', async () => {
    const empty = join(folder, 'empty');
    await writeFile(empty, ' \n\n');
    for (const { name, kind } of SETTINGS)
      if (kind === 'secret' || kind === 'secrets') assertFaults({ [`${name}_FILE`]: empty }, [`${name}_FILE`]);
  });

  it('that hold a secret where its file is to be named are wrong, and it is not told', () => {
    assert.throws(
      () => loadConfig({ WAYPOST_MASTER_KEY_FILE: MASTER_KEY }),
      ({ message }: Error) => message.includes('WAYPOST_MASTER_KEY_FILE') && !message.includes(MASTER_KEY),
    );
  });

  it('that others are put behind are addresses without a query or a fragment', () => {
    for (const name of ['WAYPOST_PUBLIC_URL', 'WAYPOST_PROVIDER_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
      for (const wrong of [
        'https://a.example/?b=1',
        'https://a.example?',
        'https://a.example/#b',
        'https://a.example/a b',
      ])
        assertFaults({ [name]: wrong }, [name]);
    }
    assert.equal(loadConfig({ WAYPOST_PUBLIC_URL: 'https://a.example/b/' }).publicUrl, 'https://a.example/b');
  });

  it('that are addresses are kept as they go over a wire, whatever letters they are written in', () => {
    for (const [given, kept] of [
      ['https://шлюз.example', 'https://xn--g1ah2bza.example'],
      ['https://шлюз.example/путь/', 'https://xn--g1ah2bza.example/%D0%BF%D1%83%D1%82%D1%8C'],
      ['https://a.example/é//', 'https://a.example/%C3%A9'],
      ['https:a.example', 'https://a.example'],
      ['HTTPS://A.example:443/B/', 'https://a.example/B'],
    ] as const) {
      const { publicUrl = '' } = loadConfig({ WAYPOST_PUBLIC_URL: given });
      assert.equal(publicUrl, kept);
      assert.doesNotThrow(() => validateHeaderValue('location', publicUrl));
      assert.equal(loadConfig({ WAYPOST_PROVIDER_URL: given }).providerUrl, kept);
    }
  });

  it('that every answer shows, or that are called without it, hold no password, and it is not told', () => {
    for (const setting of ['WAYPOST_PUBLIC_URL', 'WAYPOST_PROVIDER_URL'])
      for (const name of ['reader:password', 'password', ':password'])
        assert.throws(
          () => loadConfig({ [setting]: `https://${name}@a.example` }),
          ({ message }: Error) => message.includes(setting) && !message.includes('password@'),
        );
  });

  it('may name a proxy, by its address alone and with a user and a password that can be read', () => {
    assert.equal(loadConfig({}).proxyUrl, undefined);
    for (const right of ['http://proxy.example', 'https://proxy.example:3128/', 'http://us%40er:p%2Fss@10.0.0.1:3128'])
      assert.equal(loadConfig({ WAYPOST_PROXY_URL: right }).proxyUrl, right);
    const behind = ['http://proxy.example/path', 'http://proxy.example?a=b', 'http://proxy.example/#a'];
    for (const wrong of [
      'proxy.example:3128',
      'socks5://hidden@proxy.example',
      'ftp://hidden@proxy.example/',
      'http://hidden%:a@b.example',
      'http://hidden%E2%82:%ACa@b.example',
      ...behind,
    ]) {
      assertFaults({ WAYPOST_PROXY_URL: wrong }, ['WAYPOST_PROXY_URL']);
      assert.ok(!messageOf({ WAYPOST_PROXY_URL: wrong }).includes('hidden'));
    }
  });

  it('in production must hold all secrets and the public address, and what is missing is named', () => {
    const config = loadConfig(PRODUCTION);
    assert.equal(config.production, true);
    assert.equal(config.publicUrl, 'https://api.example.com', 'without the final slash');
    const { NODE_ENV, ...needed } = PRODUCTION;
    assertFaults({ NODE_ENV }, Object.keys(needed));
    for (const name of Object.keys(needed)) assertFaults({ ...PRODUCTION, [name]: undefined }, [name]);
  });

  it('take no misspelled word for the environment, which would start without secrets', () => {
    for (const wrong of ['Production', 'PRODUCTION', 'prod', 'productoin', 'production-eu'])
      assertFaults({ NODE_ENV: wrong }, ['NODE_ENV']);
    for (const other of ['', 'development', 'test', 'staging'])
      assert.equal(loadConfig({ NODE_ENV: other }).production, false);
    assert.equal(loadConfig({ ...PRODUCTION, NODE_ENV: ' production ' }).production, true);
  });

  it('each tell in one sentence what they mean', () => {
    for (const { name, help } of SETTINGS) assert.match(help, /\.$/, name);
    assert.equal(new Set(SETTINGS.map(({ name }) => name)).size, SETTINGS.length);
  });
});

/** These and no other settings are named, one a line. */
function assertFaults(environment: Record<string, string | undefined>, names: string[]): void {
  const lines = messageOf(environment).split('\n').slice(1);
  const named = lines.map((line) => /[A-Z][A-Z_]+/.exec(line)?.[0]);
  assert.deepEqual(named.toSorted(), names.toSorted());
}

function messageOf(environment: Record<string, string | undefined>): string {
  try {
    loadConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail('The settings are valid');
}
