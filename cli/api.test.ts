import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { readSettings } from './settings.ts';
import { runCli } from './test-support.ts';

/** What other services answer with a 200: pages of proxies and of portals, nothing, or JSON of their own. */
const PAGES = ['<h1>Welcome</h1>', '', '[]', '{"ok":true}', '{"data":{"results":{}}}'];
const COMMANDS = [
  ['messages'],
  ['events'],
  ['messages', 'get', 'msg_1'],
  ['requests', 'get', 'req_1'],
  ['endpoints', 'create', 'https://example.com/'],
  ['statistics'],
  ['account'],
  ['validate', '--to', '+447700900101', '--text', 'hello'],
  ['send', '--to', '+447700900101', '--text', 'hello'],
  ['events', 'tail', '--after', '1'],
  ['endpoints', 'delete', 'end_1'],
  ['accounts', 'suspend', 'an-id'],
  ['accounts', 'delete', 'an-id', '--yes'],
];

describe('an address where something else answers', () => {
  let server: Server;
  let env: Record<string, string>;
  let page = '';
  let status = 200;
  before(async () => {
    server = createServer((_, answer) => void answer.writeHead(status).end(page));
    env = { WAYPOST_URL: await listen(server), WAYPOST_API_KEY: 'wp_test_a', WAYPOST_PLATFORM_KEY: 'wp_root_a' };
  });
  after(() => server.close());

  for (const given of PAGES)
    it(`is told as that, and nothing looks done: it answers ${given || 'nothing'}`, async () => {
      page = given;
      const runs = COMMANDS.map(async (command) => ({ command, ...(await runCli(command, env)) }));
      for (const { command, exitCode, stdout, stderr } of await Promise.all(runs)) {
        assert.deepEqual([exitCode, stdout], [1, ''], `${command.join(' ')}: ${stderr}`);
        assert.match(stderr, /\nThat is not how a Waypost gateway answers\. Is --url right\?/, command.join(' '));
      }
    });

  it('has no say in what the terminal does, whatever its errors have in them', async () => {
    const [code, detail, request_id] = ['title\u001b]0;a\u0007', 'clear\u001b[2J', 'turn\u202e'];
    page = JSON.stringify({ code, detail, request_id, errors: [{ pointer: '#\u009b', detail }] });
    status = 400;
    for (const { exitCode, stdout, stderr } of await Promise.all(COMMANDS.map((command) => runCli(command, env)))) {
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, /clear/);
      assert.doesNotMatch(stdout + stderr, /[^\n\P{Cc}]|\u202e/u);
    }
  });
});

it('a refusal says in how many seconds to try again, also where a proxy names a date', async (t) => {
  const [date, later] = ['Sat, 31 Jan 2026 12:00:00 GMT', 'Sat, 31 Jan 2026 12:01:30 GMT'];
  const server = createServer((_, answer) => {
    answer.writeHead(503, { date, 'retry-after': later }).end('{"code":"unavailable","detail":"Later."}');
  });
  const env = { WAYPOST_URL: await listen(server), WAYPOST_API_KEY: 'wp_test_a' };
  t.after(() => server.close());
  assert.match((await runCli(['messages'], env)).stderr, /^Try again in 90 s\.$/m);
});

it("a proxy's page in the place of a gateway that is away or busy is told as that, with when to try again", async (t) => {
  let [status, headers]: [number, Record<string, string>] = [502, {}];
  const server = createServer((_, answer) => void answer.writeHead(status, headers).end('<h1>Sorry</h1>'));
  const env = { WAYPOST_URL: await listen(server), WAYPOST_API_KEY: 'wp_test_a' };
  t.after(() => server.close());
  const told = async (command: string[]) => (await runCli(command, env)).stderr.split('\n')[1];
  assert.match((await told(['messages'])) ?? '', /^A proxy answers so .* Try again later\. Is the gateway running\?$/);
  // Longer than the client waits by itself.
  [status, headers] = [503, { 'retry-after': '3600' }];
  const send = ['send', '--to', '+447700900101', '--text', 'hello'];
  for (const command of [['messages'], send])
    assert.match((await told(command)) ?? '', /^A proxy answers so .* Try again in 3600 s\. /, command.join(' '));
});

it('a call that may have been done is told as that, and no other', async (t) => {
  let act: (answer: ServerResponse) => void = () => undefined;
  const server = createServer((_, answer) => act(answer));
  const keys = { WAYPOST_API_KEY: 'wp_test_a', WAYPOST_PLATFORM_KEY: 'wp_root_a' };
  const url = await listen(server);
  t.after(() => server.close());
  const create = ['keys', 'create', 'an-id', '--name', 'Backend', '--mode', 'test'];
  const isTold = async (command: string[], address = url) => {
    const { exitCode, stderr } = await runCli(command, { ...keys, WAYPOST_URL: address });
    assert.equal(exitCode, 1, stderr);
    return /\nIt is not known whether that was done\. Look before you do it again\.\n$/.test(stderr);
  };
  const broken = (answer: ServerResponse) => void answer.destroy();
  const answered = (status: number, code?: string) => (answer: ServerResponse) =>
    void answer.writeHead(status).end(code === undefined ? '<h1>Sorry</h1>' : JSON.stringify({ code, detail: 'No.' }));
  for (act of [broken, answered(408), answered(500), answered(504), answered(500, 'internal_error')]) {
    assert.equal(await isTold(create), true);
    assert.equal(await isTold(['accounts', 'delete', 'an-id', '--yes']), true);
    assert.equal(await isTold(['keys', 'list', 'an-id']), false);
    assert.equal(await isTold(['validate', '--to', '+447700900101', '--text', 'hello']), false);
  }
  for (act of [answered(503, 'unavailable'), answered(403), answered(422, 'invalid_request')])
    assert.equal(await isTold(create), false);
  const away = createServer();
  const refusing = await listen(away);
  away.close();
  assert.equal(await isTold(create, refusing), false);
});

it('an address that is reached in the wrong way is told with what to do about it', async (t) => {
  const server = createServer((_, answer) => void answer.writeHead(407).end());
  const url = await listen(server);
  t.after(() => server.close());
  const told = async (address: string) =>
    (await runCli(['messages'], { WAYPOST_URL: address, WAYPOST_API_KEY: 'wp_test_a' })).stderr;
  assert.match(await told(url), /: something between refused the call, .*407/);
  assert.match(await told(url.replace('http:', 'https:')), /: it does not speak TLS\.\n.*begins with http:\/\//);
});

it('an address is refused whose password would be shown, or behind which a path would be none', () => {
  for (const url of ['http://:word@127.0.0.1:3', 'http://127.0.0.1:3?', 'http://127.0.0.1:3#'])
    assert.throws(() => readSettings({ url }, {}), /^Error: --url must be an address such as/);
});
