import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mintSecret, signEvent } from '../../src/endpoints/deliver/sign.ts';
import { PROGRAM_ENV } from '../support/program-env.ts';
import { until } from '../support/until.ts';
import { type EndpointApi, startEndpointApi } from './api.ts';
import { type Harness, startHarness } from './harness.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('npm run listen', () => {
  let harness: Harness;
  let api: EndpointApi;
  let dataDir: string;
  let key: string;
  let accountId: string;
  const children: ChildProcess[] = [];
  before(async () => {
    harness = await startHarness();
    api = await startEndpointApi(harness);
    dataDir = await mkdtemp(join(tmpdir(), 'waypost-listen-'));
    const made = api.key();
    key = made.key;
    accountId = made.principal.accountId;
    await writeFile(join(dataDir, 'dev.json'), JSON.stringify({ base_url: api.url, test_key: key }));
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await api.stop();
    await harness.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  function listen(...options: string[]) {
    const child = spawn(process.execPath, ['scripts/listen/main.ts', ...options], {
      cwd: ROOT,
      env: { ...PROGRAM_ENV, WAYPOST_DATA_DIR: dataDir },
      stdio: 'pipe',
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const address = async () => (await until(() => /http:\/\/127\.0\.0\.1:\d+\/(?=\. Stop)/.exec(output)))[0];
    return { child, output: () => output, ended, address };
  }
  const endpoints = async () => (await api.call(key, 'GET', '/api/v1/endpoints')).json.data;

  it('registers itself, prints what arrives verified, and removes itself at the end', async () => {
    const listener = listen('--port', '0');
    const url = await listener.address();
    const [endpoint] = await endpoints();
    assert.equal(endpoint.url, url);
    await harness.record(1, { accountId, type: 'message.sent' });
    await harness.record(1, { accountId, type: 'message.read' });
    await until(() => listener.output().includes('message.read'));
    assert.match(listener.output(), /^\d\d:\d\d:\d\d\.\d{3} {2}message\.sent +#1 +msg_1$/m);
    assert.equal((await api.call(key, 'POST', `/api/v1/endpoints/${endpoint.id}/test`)).json.outcome, 'succeeded');
    listener.child.kill('SIGINT');
    assert.equal(await listener.ended, 0);
    assert.deepEqual(await endpoints(), []);
  });

  it('takes an event that comes before it is told its secret', async (t) => {
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'message.sent',
      sequence: 1,
      data: { message: { id: 'msg_early' } },
    });
    let early: Promise<number> | undefined;
    // It stands in front of the gateway. It passes on that the endpoint is made only when an event has reached the listener.
    const front = createHttpServer(async (request, response) => {
      const sent = (await request.toArray()).join('');
      const given = sent === '' ? {} : { body: JSON.parse(sent) };
      const path = request.url ?? '';
      const { status, json, text } = await api.call(key, request.method ?? '', path, given);
      if (request.method === 'POST') {
        const post = postAwaited(json.url, body, signEvent('evt_1', new Date(), body, [json.secret]));
        early = post.status;
        await post.come;
      }
      response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    t.after(() => front.close());
    await until(() => front.listening);
    const ownDir = await mkdtemp(join(tmpdir(), 'waypost-listen-'));
    t.after(() => rm(ownDir, { recursive: true }));
    const { port } = front.address() as AddressInfo;
    await writeFile(join(ownDir, 'dev.json'), JSON.stringify({ base_url: `http://127.0.0.1:${port}`, test_key: key }));
    const listener = listen('--port', '0', '--data-dir', ownDir);
    await listener.address();
    await until(() => listener.output().includes('msg_early'));
    assert.equal(await early, 204);
    listener.child.kill('SIGINT');
    assert.equal(await listener.ended, 0);
  });

  it("prints what others may have written without a terminal's commands, in both forms", async () => {
    const secret = mintSecret();
    const evil = '\u001b]0;owned\u0007\u009b2J\u007f\r\n\u2028\u202eend';
    const data = { message: { id: `msg_1${evil}`, direction: 'inbound', from: evil, error: { message: evil } } };
    const body = JSON.stringify({ id: 'evt_1', type: `message.received${evil}`, sequence: 1, data });
    const headers = signEvent('evt_1', new Date(), body, [secret]);
    const outputOf = async (...options: string[]) => {
      const listener = listen('--port', '0', '--secret', secret, ...options);
      const url = await listener.address();
      const answer = await fetch(url, { method: 'POST', body, headers });
      assert.equal(answer.status, 204);
      await fetch(url, { method: 'POST', body, headers: { ...headers, 'webhook-signature': 'v2\u009b2J,x' } });
      await until(() => /not verified\n.+\n/.test(listener.output()));
      assert.doesNotMatch(listener.output(), /[^\P{Cc}\n]|[\u2028-\u202e]/u);
      return listener.output().split('\n');
    };
    assert.match((await outputOf())[1] ?? '', /message\.received.*#1 +msg_1.*end.*from.*end$/);
    assert.deepEqual(JSON.parse((await outputOf('--json'))[1] ?? ''), JSON.parse(body));
  });

  it('removes itself also when nobody reads it any more, or its terminal is closed', async () => {
    const unread = listen('--port', '0');
    const url = await unread.address();
    unread.child.stdout?.destroy();
    // Anything makes it print something, such as a request that is not signed.
    await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
    const closed = listen('--port', '0');
    await closed.address();
    closed.child.kill('SIGHUP');
    assert.deepEqual(await Promise.all([unread.ended, closed.ended]), [0, 0], unread.output());
    assert.deepEqual(await endpoints(), []);
  });

  it('removes itself also when its npm is killed', { skip: process.platform === 'win32' }, async () => {
    // As npm starts it: through a shell, which dies by a signal and does not pass it on.
    const shell = spawn('sh', ['-c', '"$0" scripts/listen/main.ts --port 0 & wait', process.execPath], {
      cwd: ROOT,
      env: { ...PROGRAM_ENV, WAYPOST_DATA_DIR: dataDir, npm_lifecycle_event: 'listen' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, by which what is left of it is ended.
      detached: true,
    });
    let allEnded = false;
    shell.once('close', () => (allEnded = true));
    try {
      await once(shell.stdout, 'data');
      assert.equal((await endpoints()).length, 1);
      shell.kill('SIGTERM');
      await until(() => allEnded);
      assert.deepEqual(await endpoints(), []);
    } finally {
      if (!allEnded) process.kill(-(shell.pid ?? 0), 'SIGTERM');
      await until(() => allEnded);
    }
  });

  it('takes the place of what an earlier run has left', async () => {
    const first = listen('--port', '0');
    const { port } = new URL(await first.address());
    first.child.kill('SIGKILL');
    await first.ended;
    assert.equal((await endpoints()).length, 1);
    const second = listen('--port', port);
    await second.address();
    assert.equal((await endpoints()).length, 1);
    second.child.kill('SIGTERM');
    assert.equal(await second.ended, 0);
  });

  it('names at its start the endpoints whose events come here too, and cannot be verified here', async () => {
    const first = listen('--port', '0');
    const { port } = new URL(await first.address());
    assert.doesNotMatch(first.output(), /deliver here too/);
    first.child.kill('SIGTERM');
    await first.ended;
    const make = async (url: string) => (await api.call(key, 'POST', '/api/v1/endpoints', { body: { url } })).json.id;
    const here = [await make(`http://127.0.0.1:${port}/`), await make(`http://localhost:${port}/events`)];
    const elsewhere = [await make('http://127.0.0.1:1/'), await make(`http://127.0.0.1:${port}/off`)];
    await api.call(key, 'PATCH', `/api/v1/endpoints/${elsewhere[1]}`, { body: { enabled: false } });
    const second = listen('--port', port);
    await until(() => second.output().includes('deliver here too'));
    for (const id of here) assert.ok(second.output().includes(id), second.output());
    for (const id of elsewhere) assert.ok(!second.output().includes(id), second.output());
    second.child.kill('SIGTERM');
    assert.equal(await second.ended, 0);
    for (const id of [...here, ...elsewhere]) await api.call(key, 'DELETE', `/api/v1/endpoints/${id}`);
  });

  it('verifies with a given secret, prints whole events, and says why a signature is wrong', async () => {
    const secret = mintSecret();
    const listener = listen('--port', '0', '--secret', secret, '--json');
    const url = await listener.address();
    const body = JSON.stringify({ id: 'evt_1', type: 'message.read', data: {} });
    const send = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body });
    assert.equal((await send(signEvent('evt_1', new Date(), body, [secret]))).status, 204);
    await until(() => listener.output().includes(body));
    assert.equal((await send({})).status, 401);
    await until(() => listener.output().includes('webhook-signature is missing'));
    assert.equal((await send(signEvent('evt_1', new Date(0), body, [secret]))).status, 401);
    await until(() => listener.output().includes('seconds old'));
    assert.equal((await send(signEvent('evt_1', new Date(), `${body}\n`, [secret]))).status, 401);
    await until(() => listener.output().includes('line break at the end'));
    assert.ok(!listener.output().includes(secret));
    assert.deepEqual(await endpoints(), []);
  });

  it('says of an account whether it is suspended', async () => {
    const secret = mintSecret();
    const listener = listen('--port', '0', '--secret', secret);
    const url = await listener.address();
    for (const suspended of [true, false]) {
      const account = { id: accountId, name: 'Acme', suspended };
      const body = JSON.stringify({ id: `evt_${suspended}`, type: 'account.updated', sequence: 1, data: { account } });
      const headers = signEvent(`evt_${suspended}`, new Date(), body, [secret]);
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 204);
    }
    await until(() => / Acme {2}suspended\n.* Acme {2}not suspended\n/.test(listener.output()));
  });

  it('takes the largest event', async () => {
    const secret = mintSecret();
    const listener = listen('--port', '0', '--secret', secret);
    const url = await listener.address();
    const message = { id: 'msg_large', type: 'text', text: { body: 'x'.repeat(4 << 20) } };
    const body = JSON.stringify({ id: 'evt_1', type: 'message.received', sequence: 1, data: { message } });
    const headers = signEvent('evt_1', new Date(), body, [secret]);
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 204);
    await until(() => listener.output().includes('msg_large'));
  });

  it('takes the secret from a file or from standard input, so that it is in no list of processes', async () => {
    const secret = mintSecret();
    const file = join(dataDir, 'secret.txt');
    await writeFile(file, `${secret}\n`);
    const body = JSON.stringify({ id: 'evt_1', type: 'message.read', data: {} });
    for (const place of [file, '-']) {
      const listener = listen('--port', '0', '--secret-file', place);
      listener.child.stdin?.end(secret);
      const headers = signEvent('evt_1', new Date(), body, [secret]);
      const answer = await fetch(await listener.address(), { method: 'POST', headers, body });
      assert.equal(answer.status, 204, place);
    }
  });

  it('says in a sentence what is in its way', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await until(() => server.listening);
    const { port } = server.address() as AddressInfo;
    const away = await mkdtemp(join(tmpdir(), 'waypost-listen-'));
    const ends = async (exitCode: number, sentence: RegExp, ...options: string[]) => {
      const listener = listen(...options);
      assert.equal(await listener.ended, exitCode);
      assert.match(listener.output(), sentence);
      assert.equal(listener.output().trim().split('\n').length, 1, listener.output());
    };
    await ends(1, /^The port \d+ is in use\./, '--port', String(port));
    await ends(1, /^There is no .*dev\.json\. Start the gateway/, '--data-dir', away);
    await writeFile(join(away, 'dev.json'), '{ "test_key": "wp_test_a"');
    await ends(1, /^What is in .*dev\.json is no JSON\. Start the gateway again/, '--data-dir', away);
    await writeFile(join(away, 'dev.json'), '{}');
    await ends(1, /^.*dev\.json has no base_url\. Start the gateway again/, '--data-dir', away);
    await writeFile(join(away, 'dev.json'), JSON.stringify({ base_url: 'http://127.0.0.1:1', test_key: 'x' }));
    await ends(1, /^The gateway at http:\/\/127\.0\.0\.1:1 does not answer\./, '--data-dir', away, '--port', '0');
    await ends(2, /^--port must be/, '--port', 'x');
    await ends(2, /^--secret must be/, '--secret', 'abc');
    await ends(2, /^What is in the file of --secret-file must be/, '--secret-file', join(away, 'dev.json'));
    await ends(1, /^ENOENT: no such file .*nowhere/, '--secret-file', join(away, 'nowhere'));
    await ends(2, /not both/, '--secret-file', '-', '--secret', 'abc');
    server.close();
    await rm(away, { recursive: true, force: true });
  });

  it('says in a sentence that its gateway breaks off, leads elsewhere or is another program by now', async (t) => {
    const paths: string[] = [];
    let act: (answer: ServerResponse) => void = () => undefined;
    const other = createHttpServer((request, answer) => {
      paths.push(request.url ?? '');
      act(answer);
    }).listen(0, '127.0.0.1');
    const ownDir = await mkdtemp(join(tmpdir(), 'waypost-listen-'));
    t.after(async () => {
      other.close();
      await rm(ownDir, { recursive: true });
    });
    await until(() => other.listening);
    const { port } = other.address() as AddressInfo;
    await writeFile(join(ownDir, 'dev.json'), JSON.stringify({ base_url: `http://127.0.0.1:${port}`, test_key: key }));
    const cases: [act: typeof act, sentence: RegExp][] = [
      [(answer) => void answer.end('<h1>Welcome</h1>'), /^What answers at http:\S+ is no gateway\. Start one with/],
      [(answer) => breakOff(answer, '{"data":['), /^The gateway at \S+ does not answer\. Start it with/],
      [(answer) => void answer.writeHead(502).end('\u001b[2J\n'), /^The gateway refused the endpoint: 502 {2}\[2J/],
      [(answer) => void answer.writeHead(307, { location: '/elsewhere' }).end(), /^The gateway refused .* 307/],
    ];
    for (const [next, sentence] of cases) {
      act = next;
      const listener = listen('--port', '0', '--data-dir', ownDir);
      assert.equal(await listener.ended, 1);
      assert.match(listener.output(), sentence);
      assert.equal(listener.output().trim().split('\n').length, 1, listener.output());
    }
    assert.deepEqual(new Set(paths), new Set(['/api/v1/endpoints?limit=100']));
  });

  it('explains itself with an example', async () => {
    const listener = listen('--help');
    assert.equal(await listener.ended, 0);
    assert.match(listener.output(), /npm run listen -- --port 9000/);
  });
});

/** Hangs up behind the beginning of a body. */
function breakOff(answer: ServerResponse, beginning: string): void {
  answer.writeHead(200, { 'content-length': 500 }).write(beginning, () => answer.socket?.end());
}

/** Posts the body once the server has received the request's head. */
function postAwaited(url: string, body: string, headers: Record<string, string>) {
  const come = Promise.withResolvers<void>();
  const status = Promise.withResolvers<number>();
  const post = httpRequest(url, { method: 'POST', headers: { ...headers, expect: '100-continue' } });
  post.once('continue', () => {
    post.end(body);
    come.resolve();
  });
  post.once('response', (response) => status.resolve(response.resume().statusCode ?? 0));
  post.once('error', status.reject);
  post.flushHeaders();
  return { come: come.promise, status: status.promise };
}
