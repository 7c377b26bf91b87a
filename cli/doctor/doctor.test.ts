import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listen } from '../../client/test/listen.ts';
import { startReceiver } from '../../test/endpoints/receiver.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { missingProgram } from '../../test/support/missing-program.ts';
import { until } from '../../test/support/until.ts';
import { explainSilence } from '../explain-silence.ts';
import { runCli, startCli } from '../test-support.ts';
import { checkSettings } from './check-settings.ts';

const OPENSSL = process.env.WAYPOST_TEST_OPENSSL ?? 'openssl';
/** Far longer than any command takes that ends by itself. */
const ENDLESS_MS = 60_000;
const withoutOpenssl = await missingProgram(OPENSSL, ['version'], 'WAYPOST_TEST_OPENSSL');

describe('the doctor', () => {
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    gateway = await startTestGateway();
    folder = await mkdtemp(join(tmpdir(), 'waypost-doctor-'));
  });
  after(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  it('takes a platform key for what it is, and not for a key of few scopes', async () => {
    const file = join(folder, 'platform-key');
    await writeFile(file, gateway.platformKey);
    const { exitCode, stdout } = await runCli(['doctor', '--key-file', file], { WAYPOST_URL: gateway.url });
    assert.equal(exitCode, 1);
    assert.match(stdout, /^fail {2}key .*platform-key\) is a platform key, .*\n +Give a key of an account/m);
    assert.doesNotMatch(stdout, /scope/);
  });

  it('fails where no gateway is known, and where another program answers at its address', async (t) => {
    const unknown = await runCli(['doctor']);
    assert.equal(unknown.exitCode, 1);
    assert.match(unknown.stdout, /^fail {2}address .*No gateway is known\.\n +Start one with "npm start"/m);
    for (const answer of ['{"status":"ok"}', '<p>Welcome</p>']) {
      const other = createPlainServer((_, response) => void response.end(answer));
      t.after(() => other.close());
      const env = { WAYPOST_URL: await listen(other), WAYPOST_API_KEY: gateway.testKey };
      const { exitCode, stdout } = await runCli(['doctor'], env);
      assert.equal(exitCode, 1);
      assert.match(stdout, /^fail {2}gateway .*\/healthz answers 200\.\n +Is the address that of a Waypost gateway/m);
      assert.doesNotMatch(stdout, / {2}account /, 'it is not asked for more');
    }
  });

  it('finds an endpoint well that was not tried yet, and one whose last attempt succeeded', async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { id } = (await gateway.call('POST', '/api/v1/endpoints', { body: { url: receiver.url } })).json;
    const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
    const isWell = async () =>
      assert.match((await runCli(['doctor'], env)).stdout, /^ok {4}endpoint .* is enabled\.$/m);
    await isWell();
    assert.equal((await gateway.call('POST', `/api/v1/endpoints/${id}/test`)).json.outcome, 'succeeded');
    await isWell();
    await gateway.call('DELETE', `/api/v1/endpoints/${id}`);
  });

  it('does not say that the provider answers where there is no channel to ask it with', async () => {
    const key = await gateway.createKey({ mode: 'live' });
    const { stdout } = await runCli(['doctor'], { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: key });
    assert.match(stdout, /^fail {2}channel /m);
    assert.match(stdout, /^warn {2}provider /m);
  });

  it('takes nothing for a callback that the provider could not post to', async () => {
    for (const url of [
      'waypost.example/api/messaging/webhook',
      'waypost.example:443/callback',
      'ftp://waypost.example',
    ]) {
      const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey };
      const { exitCode, stderr } = await runCli(['doctor', '--callback-url', url], env);
      assert.equal(exitCode, 2, url);
      assert.match(stderr, /^--callback-url must be an http or https address/m, url);
    }
  });

  it('gives commands to paste that lead to the gateway that it has looked at', async () => {
    const file = join(folder, 'key');
    await writeFile(file, gateway.testKey);
    const { id } = (await gateway.call('POST', '/api/v1/endpoints', { body: { url: 'http://127.0.0.1:9/' } })).json;
    await gateway.call('POST', '/api/v1/messages/send', {
      body: { to: '+15552000001', type: 'text', text: { body: 'Hello' } },
    });
    await until(async () => (await gateway.call('GET', `/api/v1/endpoints/${id}/attempts`)).json.data.length > 0);
    const failing = await runCli(['doctor', '--url', gateway.url, '--key-file', file]);
    assert.match(failing.stdout, /^warn {2}endpoint .*:9\/ is enabled, and its last attempt failed \(refused\)\.$/m);
    await gateway.database.query("update channel set status = 'suspended'");
    await gateway.database.query("update endpoint set enabled = false, disabled_reason = 'gone'");
    const { stdout } = await runCli(['doctor', '--url', gateway.url, '--key-file', file]);
    const [update = ''] = /npx waypost channels update .*$/m.exec(stdout) ?? [];
    assert.ok(update.endsWith(` --access-token-file FILE --url ${gateway.url}`), stdout);
    const [enable = ''] = /npx waypost endpoints update .*$/m.exec(stdout) ?? [];
    const done = await runCli(enable.split(' ').slice(2));
    assert.equal(done.exitCode, 0, done.stderr);
    assert.match(done.stdout, /^enabled +true$/m);
  });

  it('has no say of strangers in what the terminal does: of what answers at the address', async (t) => {
    const other = createPlainServer((request, response) => {
      if (request.url === '/healthz') return void response.end('{"status":"alive"}');
      response
        .writeHead(503)
        .end(JSON.stringify({ detail: 'clear\u001b[2J\u202e\nok    database', code: 'turn\u009b' }));
    });
    const env = { WAYPOST_URL: await listen(other), WAYPOST_API_KEY: 'wp_test_a' };
    t.after(() => other.close());
    const { stdout } = await runCli(['doctor'], env);
    assert.match(stdout, /^fail {2}database {7}clear \[2J {2}ok {4}database$/m);
    assert.doesNotMatch(stdout, /[^\n\P{Cc}]|\u202e/u);
  });

  it('takes nothing for well that something else than a gateway answers, whatever its status', async (t) => {
    for (const status of [200, 502]) {
      // As a proxy does that passes one path on, and answers all others with a page of its own.
      const proxy = createPlainServer((request, response) => {
        if (request.url === '/healthz') response.end('{"status":"alive"}');
        else response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Welcome</p>');
      });
      const env = { WAYPOST_URL: await listen(proxy), WAYPOST_API_KEY: 'wp_test_a' };
      t.after(() => proxy.close());
      const { exitCode, stdout } = await runCli(['doctor'], env);
      assert.equal(exitCode, 1);
      assert.deepEqual(stdout.match(/^ok .{11}/gm), ['ok    address ', 'ok    key     ', 'ok    gateway ']);
      for (const what of ['/readyz', 'It'])
        assert.match(
          stdout,
          new RegExp(`^fail .*${what} is answered with ${status}, .*\\n +Does the proxy before`, 'm'),
        );
    }
    const proxy = createPlainServer((request, response) => {
      if (/\/(healthz|readyz|api\/v1\/account)$/.test(request.url ?? ''))
        fetch(gateway.url + request.url, { headers: { authorization: request.headers.authorization ?? '' } }).then(
          async (answer) => response.writeHead(answer.status).end(await answer.text()),
          () => response.destroy(),
        );
      else response.end('<p>Welcome</p>');
    });
    const env = { WAYPOST_URL: await listen(proxy), WAYPOST_API_KEY: gateway.testKey };
    t.after(() => proxy.close());
    const { stdout } = await runCli(['doctor'], env);
    for (const check of ['channel', 'provider', 'endpoint'])
      assert.match(stdout, new RegExp(`^fail {2}${check} .*with 200, and not by a gateway`, 'm'));
  });

  it('fails where all channels are removed, as where there is none, and warns of one that is', async () => {
    const accountId = await gateway.createAccount('Removed numbers');
    const env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: await gateway.createKey({ accountId }) };
    const platform = { key: gateway.platformKey };
    const [first] = (await gateway.call('GET', '/api/v1/channels', { key: env.WAYPOST_API_KEY })).json.data;
    const path = `/platform/v1/accounts/${accountId}/channels`;
    const ids = { phone_number_id: '4004', business_account_id: '4005', display_phone_number: '+15550790004' };
    const body = { ...ids, access_token: 'any', mode: 'test' };
    const second = (await gateway.call('POST', path, { ...platform, body })).json;
    await gateway.call('DELETE', `/platform/v1/channels/${first.id}`, platform);
    const one = await runCli(['doctor'], env);
    assert.match(one.stdout, /^warn {2}channel .* is removed\.\n +Nothing is sent from it\.$/m);
    assert.equal(one.exitCode, 0, one.stdout);
    await gateway.call('DELETE', `/platform/v1/channels/${second.id}`, platform);
    const none = await runCli(['doctor'], env);
    assert.match(
      none.stdout,
      /^fail {2}channel .*none of this mode that is not removed: nothing can be sent\.\n.*connect/m,
    );
    assert.equal(none.exitCode, 1);
  });

  it('warns of what a key may not see, and of its end within a week', async () => {
    const endsAt = (days: number) => new Date(Date.now() + days * 24 * 3_600_000);
    const tellOf = async (wish: Parameters<TestGateway['createKey']>[0]) =>
      (await runCli(['doctor'], { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: await gateway.createKey(wish) })).stdout;
    const narrow = await tellOf({ scopes: ['messages:send'], expiresAt: endsAt(8) });
    assert.match(narrow, /^ok {4}account /m);
    for (const check of ['channel', 'provider', 'endpoint'])
      assert.match(narrow, new RegExp(`^warn {2}${check} .*Not checked: The key needs the scope`, 'm'));
    const ending = await tellOf({ expiresAt: endsAt(6) });
    assert.match(ending, /^warn {2}account .*; the key ends at 20.*\n +Roll it in time: npx waypost keys roll ID$/m);
  });

  it('tells apart a key that is none, and an account that is suspended', async () => {
    const wrong = await runCli(['doctor'], { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: 'wp_test_none' });
    assert.match(wrong.stdout, /^fail {2}account .*\n +Give another key/m);
    const accountId = await gateway.createAccount('Suspended');
    const key = await gateway.createKey({ accountId });
    const call = { key: gateway.platformKey };
    await gateway.call('PATCH', `/platform/v1/accounts/${accountId}`, { ...call, body: { suspended: true } });
    const { stdout } = await runCli(['doctor'], { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: key });
    assert.match(stdout, /^fail {2}provider .*suspended.*\n +Whoever runs the platform can resume it: npx waypost/m);
  });

  it('warns of an address where keys go over a network as plain text', () => {
    const told = (value: string) =>
      checkSettings({
        url: { value, source: '--url' },
        keys: { account: undefined, platform: undefined },
        dev: undefined,
      });
    for (const url of ['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost', 'https://waypost.example'])
      assert.equal(told(url)[0]?.level, 'ok', url);
    for (const url of ['http://waypost.example', 'http://10.0.0.5:8080', 'http://127.example'])
      assert.equal(told(url)[0]?.level, 'warn', url);
  });

  it('looks at every channel, and not at the newest hundred only', async () => {
    const accountId = await gateway.createAccount('Many numbers');
    const key = await gateway.createKey({ accountId });
    const [channel] = await gateway.database.query<{ id: string }>(
      `insert into channel (account_id, id, mode, phone_number_id, business_account_id, phone_number, access_token_sealed, status)
       select $1, gen_random_uuid(), 'test', 'many ' || n, 'many', '+1555079' || (1000 + n), '', 'connected'
       from generate_series(1, 120) n returning id`,
      [accountId],
    );
    await gateway.database.query("update channel set status = 'suspended' where id = $1", [channel?.id]);
    const { stdout } = await runCli(['doctor'], { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: key });
    assert.equal(stdout.match(/^ok {4}channel/gm)?.length, 120);
    assert.equal(stdout.match(/^fail {2}channel/gm)?.length, 1);
  });

  it('says how to trust a certificate that nobody known has signed, and that the provider will not', {
    skip: withoutOpenssl,
  }, async (t) => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const words =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=waypost -addext subjectAltName=IP:127.0.0.1';
    await promisify(execFile)(OPENSSL, [...words.split(' '), '-keyout', key, '-out', cert]);
    const proxy = createServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
      fetch(gateway.url + request.url).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.destroy(),
      );
    });
    const url = await listen(proxy);
    t.after(() => proxy.close());
    const args = ['doctor', '--url', url.replace('http:', 'https:')];
    const distrusted = await runCli(args);
    assert.equal(distrusted.exitCode, 1);
    assert.match(distrusted.stdout, /^fail {2}gateway .*certificate is not trusted.*\n.*NODE_EXTRA_CA_CERTS=/m);
    assert.match(distrusted.stdout, /^fail {2}callback .*\n.*provider takes certificates of public authorities only/m);
    const sent = await runCli(['send', '--to', '+447700900101', '--text', 'hello', '--url', args[2] ?? ''], {
      WAYPOST_API_KEY: gateway.testKey,
    });
    assert.match(sent.stderr, /NODE_EXTRA_CA_CERTS=/);
    const tail = startCli(['events', 'tail', '--url', args[2] ?? ''], { WAYPOST_API_KEY: gateway.testKey });
    t.after(() => tail.child.kill());
    const tailed = await Promise.race([tail.ended, wait(ENDLESS_MS, undefined, { ref: false })]);
    assert.equal(tailed?.exitCode, 1, 'what this process trusts does not change while it runs');
    assert.match(tailed.stderr, /NODE_EXTRA_CA_CERTS=/);
    const trusted = await startCli(args, { NODE_EXTRA_CA_CERTS: cert }).ended;
    assert.match(trusted.stdout, /^ok {4}gateway/m, 'what it advises works');
  });

  it('tells a DNS that does not answer from a name that there is not, and from an address that is not reached', () => {
    // The errors are made as Node throws them, because no test can take the DNS or the way away from its machine.
    const thrown = (code: string) =>
      explainSilence(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));
    assert.match(thrown('EAI_AGAIN').reason, /DNS did not answer/);
    assert.match(thrown('EAI_AGAIN').advice, /try again/);
    assert.match(thrown('ENOTFOUND').reason, /no such name/);
    assert.match(thrown('UND_ERR_CONNECT_TIMEOUT').advice, /firewall/);
  });
});
