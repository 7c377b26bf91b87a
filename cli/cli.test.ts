import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startLossyProxy } from '../client/test/lossy-proxy.ts';
import { startTestGateway, type TestGateway } from '../test/support/gateway.ts';
import { asSandbox, lineOf, messagesBody, postSigned } from '../test/support/notifications.ts';
import { until } from '../test/support/until.ts';
import { runCli, startCli } from './test-support.ts';

let gateway: TestGateway;
let folder: string;
let env: Record<string, string>;

before(async () => {
  gateway = await startTestGateway({ callback: true });
  folder = await mkdtemp(join(tmpdir(), 'waypost-cli-'));
  env = { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey, WAYPOST_PLATFORM_KEY: gateway.platformKey };
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

const TEMPLATE = ['--template', 'order_update', '--language', 'en_US'];

const cli = (...args: string[]) => runCli(args, env);
/** The same as a process of its own. */
const realCli = (...args: string[]) => startCli(args, env).ended;
/** Notifications that say nothing. */
const emptyOnes = async (state: string) => {
  const key = gateway.platformKey;
  const { json } = await gateway.call('GET', `/platform/v1/notifications?state=${state}&limit=100`, { key });
  return json.data.filter(({ kinds }: { kinds: string[] }) => kinds.length === 0);
};

describe('the command line', () => {
  it('ends with 0 if all recipients are accepted, and with 1 if one is not', async () => {
    const [all, some] = await Promise.all([
      realCli('send', '--to', '+447700900101', '--text', 'hello'),
      realCli('send', '--to', '+447700900102,0770', ...TEMPLATE, '--param', 'Ada'),
    ]);
    assert.equal(all.exitCode, 0, all.stderr);
    assert.match(all.stdout, /^TO +STATUS .*\n\+447700900101 +accepted +msg_/);
    assert.equal(some.exitCode, 1);
    assert.match(some.stdout, /\n\+447700900102 +accepted/);
    assert.match(some.stdout, /\n0770 +failed +- +invalid_recipient/);
  });

  it('says which parameter of a template is wrong: when it sends, when it validates and when it reads back', async () => {
    const args = ['--to', '+447700900104', ...TEMPLATE];
    const wrong =
      /template_parameters_invalid +.*; components: The body component is missing\. \(expected 1 parameter, given none\)/;
    const sent = await cli('send', ...args);
    assert.match(sent.stdout, wrong);
    assert.match((await cli('validate', ...args)).stdout, wrong);
    const [request = ''] = /req_\w+/.exec(sent.stderr) ?? [];
    assert.match((await cli('requests', 'get', request)).stdout, wrong);
  });

  it('has examples in the help of everything, as they are typed in a clone', async () => {
    const helps = [[], ['endpoints'], ['keys'], ['messages'], ['send'], ['events', 'tail']];
    for (const words of helps) {
      const { stdout } = await cli(...words, '--help');
      const [, examples = ''] = stdout.split(/\nExamples?:\n/);
      const lines = examples.trimEnd().split('\n');
      assert.ok(lines.length > 1, words.join(' '));
      for (const line of lines) assert.ok(line.startsWith(`  $ npx waypost ${words.join(' ')}`), line);
    }
  });

  it('names commands in its hints as they are typed in a clone', () => {
    const commands = 'accounts?|channels|config|doctor|endpoints|erase|events|keys|messages|send|statistics|templates';
    const bare = new RegExp(`(?<!npx )waypost (${commands}) `);
    const sources = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((path) => !path.endsWith('.test.ts'));
    assert.ok(sources.length > 30);
    for (const path of sources) assert.doesNotMatch(readFileSync(join(import.meta.dirname, path), 'utf8'), bare, path);
  });

  it('replays the answer of a send that is said again with its key, and sends nothing', async () => {
    const args = ['send', '--to', '+447700900103', '--text', 'hello', '--idempotency-key', 'order-42', '--json'];
    const first = await cli(...args);
    const second = await cli(...args);
    assert.equal(second.stdout, first.stdout);
    assert.match(second.stderr, /nothing was sent now/);
  });

  it("gives programs the API's own JSON, and nothing else on standard output", async () => {
    const listed = await gateway.call('GET', '/api/v1/templates?limit=2');
    const { stdout, exitCode } = await realCli('templates', '--limit', '2', '--json');
    assert.equal(exitCode, 0);
    assert.equal(stdout, `${listed.text}\n`);
  });

  it('tells the key of a send that Ctrl-C ends while its outcome is open, and the key gives the first answer', async () => {
    const behind = await startLossyProxy(gateway.url);
    behind.plan.push('lose_answer', ...Array.from({ length: 20 }, () => ({ status: 503 })));
    const args = ['send', '--to', '+447700900107', '--text', 'hello'];
    const { child, ended } = startCli(args, { ...env, WAYPOST_URL: behind.url });
    await until(() => behind.seen.length > 1);
    child.kill('SIGINT');
    const { exitCode, stderr } = await ended;
    await behind.close();
    assert.equal(exitCode, 130);
    const [, key = ''] = /Repeat it safely.* --idempotency-key (\S+)\n$/.exec(stderr) ?? [];
    const again = await cli(...args, '--idempotency-key', key);
    assert.match(again.stderr, /nothing was sent now/);
  });

  it('reads messages and requests back, with the timeline', async () => {
    const sent = JSON.parse((await cli('send', '--to', '+447700900104', '--text', 'hello', '--json')).stdout);
    const [entry] = sent.results;
    const [listed, got, request] = await Promise.all([
      cli('messages', '--to', '+447700900104'),
      cli('messages', 'get', entry.id),
      cli('requests', 'get', sent.request_id),
    ]);
    assert.match(listed.stdout, new RegExp(`\\n${entry.id} `));
    assert.match(got.stdout, /\nSTATUS +AT .*\naccepted /);
    assert.match(request.stdout, /\n\+447700900104 +accepted/);
  });

  it('gives JSON in which no stranger can command a terminal, and which is the same JSON', async () => {
    const words = 'Hello \u001b[31m\u009b31m\u009d0;title\u009c\u202e\u2066\u2028 back';
    const line = await lineOf(gateway);
    const item = { from: '447700900888', id: 'wamid.commands', timestamp: '1789000000', type: 'text' };
    await postSigned(asSandbox(gateway), messagesBody(line, { messages: [{ ...item, text: { body: words } }] }));
    await until(async () => (await gateway.call('GET', '/api/v1/messages?direction=inbound')).json.data.length > 0);
    const listed = await cli('messages', 'list', '--direction', 'inbound', '--json');
    const one = await cli('messages', 'get', JSON.parse(listed.stdout).data[0].id, '--json');
    const { child, ended } = startCli(['events', 'tail', '--after', '0', '--type', 'message.received', '--json'], env);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGINT');
    const tailed = await ended;
    for (const { stdout } of [listed, one, tailed])
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e\u2066]/);
    assert.equal(JSON.parse(listed.stdout).data[0].text.body, words);
    assert.equal(JSON.parse(one.stdout).text.body, words);
    assert.equal(JSON.parse(tailed.stdout).data.message.text.body, words);
  });

  it('follows events from where a state file says, one JSON document a line, until Ctrl-C', async () => {
    const state = join(folder, 'events.state');
    const args = ['events', 'tail', '--json', '--state', state];
    const first = startCli([...args, '--after', '0'], env);
    await until(async () => Number(await readFile(state, 'utf8').catch(() => '0')) > 0);
    first.child.kill('SIGINT');
    const { stdout, exitCode } = await first.ended;
    assert.equal(exitCode, 130);
    const lines = stdout.trimEnd().split('\n');
    const seen = lines.map((line) => JSON.parse(line).sequence);
    assert.deepEqual(
      seen,
      seen.map((_, place) => place + 1),
    );
    await cli('send', '--to', '+447700900105', '--text', 'hello');
    const second = startCli(args, env);
    let more = '';
    second.child.stdout?.on('data', (chunk) => (more += chunk));
    await until(() => more.includes('\n'));
    second.child.kill('SIGINT');
    await second.ended;
    assert.equal(JSON.parse(more.split('\n')[0] ?? '').sequence, seen.length + 1);
  });

  it('follows events from where the run before began, if that one has seen none', async () => {
    const state = join(folder, 'quiet.state');
    const args = ['events', 'tail', '--json', '--state', state];
    const latest = async () => (await gateway.call('GET', '/api/v1/events?limit=1')).json.latest_sequence;
    const account = `/platform/v1/accounts/${gateway.accountId}`;
    const suspend = (suspended: boolean) =>
      gateway.call('PATCH', account, { key: gateway.platformKey, body: { suspended } });
    const first = startCli([...args, '--type', 'account.updated'], env);
    const began = await until(async () => Number(await readFile(state, 'utf8').catch(() => '')));
    first.child.kill('SIGINT');
    const { stdout, stderr, exitCode } = await first.ended;
    assert.deepEqual([stdout, exitCode], ['', 130]);
    assert.match(stderr, new RegExp(`--after ${began}`));
    for (const suspended of [true, false]) await suspend(suspended);
    const second = startCli(args, env);
    await until(async () => Number(await readFile(state, 'utf8')) === (await latest()));
    second.child.kill('SIGINT');
    const seen = (await second.ended).stdout.trimEnd().split('\n');
    assert.deepEqual(
      seen.map((line) => JSON.parse(line).sequence),
      seen.map((_, place) => began + 1 + place),
    );
    assert.equal(seen.filter((line) => JSON.parse(line).type === 'account.updated').length, 2);
  });

  it('keeps no event as printed that its reader has not taken', async () => {
    const state = join(folder, 'gone.state');
    await writeFile(state, '0\n');
    const { child, ended } = startCli(['events', 'tail', '--json', '--state', state], env);
    child.stdout?.destroy();
    const { exitCode, stderr } = await ended;
    assert.equal(exitCode, 0, stderr);
    assert.equal(await readFile(state, 'utf8'), '0\n');
  });

  it('makes, changes and deletes an endpoint', async () => {
    const created = await cli('endpoints', 'create', 'http://127.0.0.1:9/', '--types', 'message.failed', '--json');
    const { id, secret } = JSON.parse(created.stdout);
    assert.match(secret, /^whsec_/);
    const updated = await cli('endpoints', 'update', id, '--types', 'all', '--enabled', 'false', '--json');
    assert.deepEqual([JSON.parse(updated.stdout).types, JSON.parse(updated.stdout).enabled], [null, false]);
    const [headers, body] = [join(folder, 'headers.txt'), join(folder, 'body.json')];
    await writeFile(headers, 'webhook-id: evt_1\nwebhook-timestamp: 1\nwebhook-signature: v1,AAAA\n');
    await writeFile(body, '{}');
    const checked = await cli('endpoints', 'check-signature', id, '--headers-file', headers, '--body-file', body);
    assert.equal(checked.exitCode, 1);
    assert.match(checked.stdout, /timestamp/);
    await writeFile(
      headers,
      'webhook-id: evt_1\nwebhook-id: evt_2\nwebhook-timestamp: 1\nwebhook-signature: v1,AAAA\n',
    );
    const twice = await cli('endpoints', 'check-signature', id, '--headers-file', headers, '--body-file', body);
    assert.match(twice.stdout, /^header_repeated +webhook-id was given 2 times\.$/m);
    assert.equal((await cli('endpoints', 'delete', id)).exitCode, 0);
    assert.equal((await cli('endpoints', 'get', id)).exitCode, 1);
  });

  it('makes an account and a key with the platform key, and deletes nothing without --yes', async () => {
    const account = JSON.parse((await cli('accounts', 'create', 'Acme', '--json')).stdout);
    const args = ['keys', 'create', account.id, '--name', 'Backend', '--mode', 'test', '--scope', 'messages:read'];
    const { key } = JSON.parse((await cli(...args, '--json')).stdout);
    const file = join(folder, 'key.txt');
    await writeFile(file, `${key}\n`);
    const [refused, channels, unsure] = await Promise.all([
      cli('send', '--to', '+447700900106', '--text', 'hello', '--key-file', file),
      cli('accounts', 'channels', account.id),
      cli('accounts', 'delete', account.id),
    ]);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /403 insufficient_scope/);
    const { phoneNumberId, businessAccountId } = await lineOf(gateway, account.id);
    assert.match(channels.stdout, new RegExp(`connected .* ${phoneNumberId} +${businessAccountId} `));
    assert.equal(unsure.exitCode, 2);
    assert.equal((await cli('accounts', 'get', account.id)).exitCode, 0);
    assert.equal((await cli('accounts', 'delete', account.id, '--yes')).exitCode, 0);
  });

  it('says what is wrong and what to do, without a stack and without the key', async () => {
    const wrong = gateway.testKey.replace(/.$/, '!');
    const [key, nobody, faults, argument, typing] = await Promise.all([
      runCli(['messages'], { ...env, WAYPOST_API_KEY: wrong }),
      runCli(['messages', '--url', 'http://127.0.0.1:3'], env),
      cli('messages', '--limit', '1000'),
      cli('messages', '--key', gateway.testKey),
      realCli('mesages'),
    ]);
    assert.match(key.stderr, /401 invalid_api_key[\s\S]*WAYPOST_API_KEY/);
    assert.match(nobody.stderr, /connection was refused[\s\S]*npm start/);
    assert.match(faults.stderr, /422 invalid_request\)\n {2}limit {2}/);
    assert.match(argument.stderr, /--key-file/);
    assert.match(typing.stderr, /Did you mean messages/);
    assert.deepEqual(
      [key, nobody, faults, argument, typing].map(({ exitCode }) => exitCode),
      [1, 1, 1, 2, 2],
    );
    for (const { stdout, stderr } of [key, nobody, faults, argument, typing]) {
      assert.doesNotMatch(stderr, /\n {4}at /);
      assert.ok(!`${stdout}${stderr}`.includes(gateway.testKey));
    }
  });

  it('shows where address and key come from, and never the key', async () => {
    const { stdout } = await cli('config');
    assert.match(stdout, /WAYPOST_API_KEY/);
    assert.ok(!stdout.includes(gateway.testKey) && !stdout.includes(gateway.platformKey));
  });

  it('sends nothing where an option belongs to the other kind of content', async () => {
    const template = ['--template', 'hello_world', '--language', 'en_US'];
    for (const [content, option] of [
      [template, ['--preview-url']],
      [
        ['--text', 'hello'],
        ['--language', 'en_US'],
      ],
      [
        ['--text', 'hello'],
        ['--param', 'Ada'],
      ],
    ] as const) {
      const { exitCode, stderr } = await cli('send', '--to', '+447700900177', ...content, ...option);
      assert.deepEqual([exitCode, stderr.includes(`${option[0]}`)], [2, true], stderr);
    }
    assert.doesNotMatch((await cli('messages', '--to', '+447700900177')).stdout, /447700900177/);
  });

  it('refuses the address of the API where that of the gateway is meant', async () => {
    const { exitCode, stderr } = await runCli(['messages', '--url', `${gateway.url}/api/v1/`], env);
    assert.equal(exitCode, 2);
    assert.ok(stderr.startsWith(`--url must be the gateway's address, without /api/v1: ${gateway.url}\n`), stderr);
  });

  it('goes to no other gateway where the address that was given is blank', async () => {
    for (const blank of ['', ' ']) {
      const { exitCode, stdout, stderr } = await cli('accounts', '--url', blank);
      assert.deepEqual([exitCode, stdout], [2, ''], stderr);
      assert.match(stderr, /^--url must be an address such as https:\/\/waypost\.example, and is ""\.$/m);
    }
  });

  it('shows the keys of one gateway to no other', async () => {
    const dev = { base_url: 'http://127.0.0.1:3', test_key: gateway.testKey, platform_key: gateway.platformKey };
    await writeFile(join(folder, 'dev.json'), JSON.stringify(dev));
    const own = await runCli(['config', '--json'], { WAYPOST_DATA_DIR: folder });
    assert.match(JSON.parse(own.stdout).api_key.source, /dev\.json$/);
    const other = await runCli(['messages', '--url', gateway.url], { WAYPOST_DATA_DIR: folder });
    assert.equal(other.exitCode, 2);
    assert.match(other.stderr, /none is known for this gateway/);
  });

  it('finds a healthy gateway healthy, and tells what is wrong with one that is not', async () => {
    const [secret, token] = [join(folder, 'app-secret.txt'), join(folder, 'token.txt')];
    await writeFile(secret, gateway.secrets.appSecrets[0] ?? '');
    await writeFile(token, gateway.secrets.verifyTokens[0] ?? '');
    const files = ['--app-secret-file', secret, '--verify-token-file', token];
    const [well, ill, away] = await Promise.all([
      realCli('doctor', ...files),
      cli('doctor', '--app-secret-file', token, '--verify-token-file', secret, '--json'),
      cli('doctor', '--url', 'http://127.0.0.1:3'),
    ]);
    assert.equal(well.exitCode, 0, well.stdout);
    assert.doesNotMatch(well.stdout, /^(warn|fail)/m);
    for (const check of [
      'gateway',
      'database',
      'account',
      'channel',
      'provider',
      'callback',
      'signature',
      'verification',
    ])
      assert.match(well.stdout, new RegExp(`^ok {4}${check} `, 'm'));
    await until(async () => (await emptyOnes('applied')).length === 1);
    assert.deepEqual(await emptyOnes('set_aside'), [], 'nobody has to look at what the doctor posted');
    assert.equal(ill.exitCode, 1);
    const failed = JSON.parse(ill.stdout).checks.filter(({ level }: { level: string }) => level === 'fail');
    assert.deepEqual(
      failed.map(({ check }: { check: string }) => check),
      ['signature', 'verification'],
    );
    assert.equal(away.exitCode, 1);
    assert.match(away.stdout, /^fail {2}gateway/m);
  });

  it('warns of an endpoint that its account has turned off, and fails one that the gateway has disabled', async () => {
    const created = await cli('endpoints', 'create', 'http://127.0.0.1:9/', '--json');
    const { id } = JSON.parse(created.stdout);
    await cli('endpoints', 'update', id, '--enabled', 'false');
    const off = await cli('doctor');
    assert.match(off.stdout, /^warn {2}endpoint .* was turned off\.\n.*endpoints update end_\w+ --enabled true/m);
    assert.equal(off.exitCode, 0, off.stdout);
    await gateway.database.query("update endpoint set disabled_reason = 'gone' where not enabled");
    const gone = await cli('doctor');
    assert.match(gone.stdout, /^fail {2}endpoint .* was disabled by the gateway \(gone\)/m);
    assert.equal(gone.exitCode, 1);
    await cli('endpoints', 'delete', id);
  });

  it('finds that a gateway stops, and that nothing is wrong with its database', async () => {
    gateway.app.announceStop();
    const { exitCode, stdout } = await cli('doctor');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^fail {2}gateway .*shutting down.*\n.*next one/m);
    assert.doesNotMatch(stdout, /^fail {2}database/m);
  });
});
