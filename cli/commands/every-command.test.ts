import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startReceiver } from '../../test/endpoints/receiver.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { runCli } from '../test-support.ts';

let gateway: TestGateway;
let folder: string;
before(async () => {
  gateway = await startTestGateway({ callback: true });
  folder = await mkdtemp(join(tmpdir(), 'waypost-commands-'));
});
after(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

async function run(...args: string[]) {
  const { url, testKey, platformKey } = gateway;
  const env = { WAYPOST_URL: url, WAYPOST_API_KEY: testKey, WAYPOST_PLATFORM_KEY: platformKey };
  const { exitCode, stdout, stderr } = await runCli(args, env);
  assert.equal(exitCode, 0, `${args.join(' ')}: ${stderr}`);
  return { stdout, stderr };
}
const read = async (...args: string[]) => {
  const { stdout, stderr } = await run(...args, '--json');
  const answer = JSON.parse(stdout);
  const isShownOnce = typeof (answer.secret ?? answer.key) === 'string';
  assert.equal(/ shown this once: keep it /.test(stderr), isShownOnce, `${args.join(' ')}: ${stderr}`);
  return answer;
};

describe('what a command names is what the gateway does', () => {
  it('with an account and its keys', async () => {
    const { id } = await read('accounts', 'create', 'Acme');
    assert.equal((await read('accounts', 'list', '--limit', '1')).data[0].id, id);
    assert.equal((await read('accounts', 'rename', id, 'Acme Ltd')).name, 'Acme Ltd');
    assert.equal((await read('accounts', 'get', id)).name, 'Acme Ltd');
    assert.equal((await read('accounts', 'suspend', id)).suspended, true);
    assert.equal((await read('accounts', 'resume', id)).suspended, false);
    const key = await read('keys', 'create', id, '--name', 'Backend', '--mode', 'test');
    const rolled = await read('keys', 'roll', key.id, '--overlap-seconds', '0');
    assert.equal(rolled.name, 'Backend');
    await run('keys', 'revoke', rolled.id);
    const left = (await read('keys', 'list', id)).data.map((one: { id: string }) => one.id);
    assert.deepEqual(left, [key.id]);
    const actions = (await read('audit', '--account-id', id)).data.map(({ action }: { action: string }) => action);
    assert.deepEqual(actions.slice(0, 3), ['key.revoked', 'key.rolled', 'key.created']);
    assert.equal((await read('erase', id, '--to', '+447700900123', '--yes')).account_id, id);
  });

  it('with a channel, whose access token comes from a file', async () => {
    const token = join(folder, 'token.txt');
    await writeFile(token, 'a-token\n');
    const line = ['--phone-number-id', '777001', '--business-account-id', '888001'];
    const wish = [...line, '--display-phone-number', '+15550783881', '--mode', 'test', '--default'];
    const connect = ['channels', 'connect', gateway.accountId, ...wish, '--access-token-file'];
    const channel = await read(...connect, token);
    assert.deepEqual([channel.default, channel.phone_number_id], [true, '777001']);
    assert.equal((await read('channels', 'list')).data[0].id, channel.id);
    const moved = await read('channels', 'update', channel.id, '--display-phone-number', '+15550783882');
    assert.equal(moved.phone_number, '+15550783882');
    await writeFile(token, 'refused-token');
    const env = { WAYPOST_URL: gateway.url, WAYPOST_PLATFORM_KEY: gateway.platformKey };
    const refused = await runCli(['channels', 'update', channel.id, '--access-token-file', token], env);
    assert.match(refused.stderr, /channel_refused/);
    await writeFile(token, ' \n');
    const empty = await runCli([...connect, token], env);
    assert.deepEqual([empty.exitCode, empty.stderr], [2, 'The file of --access-token-file is empty.\n']);
    await run('channels', 'remove', channel.id);
    assert.equal((await read('channels', 'list')).data[0].status, 'removed');
  });

  it('with an endpoint, an event and what the provider has posted', async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { id, secret } = await read('endpoints', 'create', receiver.url);
    assert.notEqual((await read('endpoints', 'rotate-secret', id, '--overlap-seconds', '60')).secret, secret);
    assert.equal((await read('endpoints', 'test', id)).outcome, 'succeeded');
    const sent = await read('send', '--to', '+447700900124', '--text', 'hello');
    assert.equal((await read('requests', 'get', sent.request_id)).results[0].id, sent.results[0].id);
    const [attempt] = await until(async () => {
      const { data } = await read('endpoints', 'attempts', id, '--outcome', 'succeeded');
      return data.some(({ type }: { type: string }) => type === 'message.read') && data;
    });
    const after = ['--after-sequence', String((await read('events', 'list')).latest_sequence - 1)];
    for (const which of [['--event-id', attempt.event_id], after])
      assert.equal((await read('endpoints', 'replay', id, ...which)).count, 1);
    assert.equal((await read('endpoints', 'list')).data[0].id, id);
    const [{ id: posted }] = (await read('notifications', 'list', '--state', 'applied')).data;
    assert.equal((await read('notifications', 'reprocess', posted)).state, 'applied');
  });

  it('with the templates, what was counted, and whose key it is', async () => {
    assert.equal(typeof (await read('statistics')).totals.accepted, 'number');
    const { added, total } = await read('templates', 'sync');
    assert.equal(added, total);
    const [{ id, name }] = (await read('templates', 'list', '--status', 'approved')).data;
    assert.equal((await read('templates', 'get', id)).name, name);
    assert.equal((await read('account')).id, gateway.accountId);
  });
});
