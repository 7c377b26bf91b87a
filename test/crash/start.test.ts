import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import Fastify from 'fastify';
import { listen } from '../../src/listen.ts';
import { startSandbox } from '../../src/start-sandbox.ts';
import { callApi } from '../support/call-api.ts';
import { listMessages, phoneNumbers, readApi, sendText } from '../support/call-gateway.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { createTestDatabase } from '../support/database.ts';
import { ownDatabase } from '../support/own-database.ts';
import { type GatewayProcess, START_TIMEOUT_MS, startGatewayProcess } from '../support/process.ts';
import { startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';

const WAYPOST_MASTER_KEY = randomBytes(32).toString('base64');

it('a second gateway on the same data folder ends with a sentence, and the first goes on', async (t) => {
  const dataDir = await makeDataDir(t);
  const sandbox = await startSandboxBeside();
  t.after(() => sandbox.stop());
  const first = await startGatewayProcess(dataDir, sandbox.settings);
  t.after(() => first.kill());
  await refuses(
    dataDir,
    sandbox.settings,
    /^Error: Another Waypost \(process \d+\) is running on the data folder .*WAYPOST_DATA_DIR.*$/m,
  );
  assert.equal((await sendText(first.dev, phoneNumbers(0, 1))).json.accepted_count, 1);
  await first.kill();
  const next = await startGatewayProcess(dataDir, sandbox.settings);
  t.after(() => next.kill());
  assert.equal(next.dev.test_key, first.dev.test_key);
  assert.equal((await listMessages(next.dev, 'direction=outbound')).length, 1, 'a start after a kill has all data');
  assert.equal(await next.stop(), 0);
});

it('a start gives a test key that is valid, also after the one before was rolled, and refuses a master key that does not open what is stored', async (t) => {
  const dataDir = await makeDataDir(t);
  const env = { ...(await ownDatabase(t)), WAYPOST_SANDBOX: 'off' };
  const first = await startGatewayProcess(dataDir, env);
  t.after(() => first.kill());
  const { json } = await readApi(first.dev, '/api/v1/account');
  const body = { overlap_seconds: 0 };
  const rolled = await callApi(first.dev.base_url, 'POST', `/platform/v1/keys/${json.key.id}/roll`, {
    key: first.dev.platform_key,
    body,
  });
  assert.equal(rolled.status, 201);
  assert.equal(await first.stop(), 0);
  const next = await startGatewayProcess(dataDir, env);
  t.after(() => next.kill());
  assert.equal((await readApi(next.dev, '/api/v1/account')).status, 200);
  await refuses(
    await makeDataDir(t),
    { ...env, WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') },
    /^Error: The master key does not open what is stored in this database\..*WAYPOST_MASTER_KEY.*$/m,
  );
});

it('a listener that listens everywhere is told by an address that can be called', async () => {
  for (const [host, told] of [
    ['0.0.0.0', 'http://127.0.0.1:'],
    ['::', 'http://[::1]:'],
  ] as const) {
    if (host === '::' && !isIpv6Here()) continue; // A container may have none.
    const server = Fastify();
    const url = await listen(server, { host, port: 0, setting: 'PORT' });
    assert.equal(url.slice(0, told.length), told);
    assert.equal((await fetch(url)).status, 404);
    await server.close();
  }
});

it('a port that is taken by something else is told with the setting that helps', async (t) => {
  const taken = createServer((socket) => socket.end('no sandbox\r\n')).listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const address = taken.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { port } = address;
  const dataDir = await makeDataDir(t);
  await assert.rejects(
    startSandbox({ port, appSecret: 'secret', dataDir, log: { error: () => undefined } }),
    /^Error: The sandbox did not start: .*WAYPOST_SANDBOX_PORT.*$/,
  );
  await assert.rejects(
    listen(Fastify(), { host: '127.0.0.1', port, setting: 'PORT' }),
    /^Error: Port \d+ of 127\.0\.0\.1 is taken\..*PORT.*$/,
  );
});

it("a start that meets another gateway's sandbox says so", async (t) => {
  const sandbox = await startSandboxBeside();
  t.after(() => sandbox.stop());
  const { WAYPOST_SANDBOX_PORT } = sandbox.settings;
  await refuses(
    await makeDataDir(t),
    { ...(await ownDatabase(t)), WAYPOST_SANDBOX_PORT },
    /^Error: The sandbox at http:\S+ belongs to another gateway\. .*WAYPOST_SANDBOX_PORT.*$/m,
  );
});

it('production without its secrets names every one that is missing', async (t) => {
  const said = await refuses(await makeDataDir(t), { NODE_ENV: 'production' }, /The settings are not valid/);
  for (const name of ['APP_SECRETS', 'VERIFY_TOKENS', 'PLATFORM_KEYS', 'MASTER_KEY', 'PUBLIC_URL'])
    assert.match(said, new RegExp(`WAYPOST_${name} is missing`));
});

const onLinux = { skip: process.platform !== 'linux' && 'only Linux shows processes as files' };
it(
  'a start that is told to stop while it compiles its sources ends with 0, and leaves no process behind, which knew no secret',
  onLinux,
  async (t) => {
    const start = beginStart(t, await makeDataDir(t), { WAYPOST_MASTER_KEY, PGPASSWORD: WAYPOST_MASTER_KEY });
    const compiling = await until(() => childrenOf(start.child.pid));
    const told = await until(() => environmentOf(compiling[0], 'compile-ahead'));
    start.child.kill('SIGTERM');
    assert.match(told, /^PATH=/m);
    assert.ok(!told.includes(WAYPOST_MASTER_KEY));
    assert.deepEqual(await start.gone, [0, null]);
    assert.deepEqual(
      compiling.filter((pid) => existsSync(`/proc/${pid}`)),
      [],
    );
  },
);

describe('a start with settings of all kinds', () => {
  const secret = randomBytes(16).toString('hex');
  let gateway: GatewayProcess;
  let databaseUrl: string;
  let undo: () => Promise<void>;
  before(async () => {
    const { url, drop } = await createTestDatabase({ migrated: false });
    const dataDir = await mkdtemp(join(tmpdir(), 'waypost-start-'));
    // On the embedded server: a socket, and no host.
    databaseUrl = url.replace('@localhost/', '@/');
    gateway = await startGatewayProcess(dataDir, {
      DATABASE_URL: databaseUrl,
      WAYPOST_APP_SECRETS: secret,
      WAYPOST_VERIFY_TOKENS: `v${secret}`,
      WAYPOST_MASTER_KEY,
      WAYPOST_PUBLIC_URL: 'https://gateway.test',
      WAYPOST_RATE_REQEUSTS: '7',
      // What the driver of the database and the exporter of traces read may be secret too.
      PGPASSWORD: `p${secret}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `https://gateway:t${secret}@collector.test`,
      WAYPOST_TRACES: 'off',
    });
    undo = async () => {
      await gateway.kill();
      await drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    };
  });
  after(() => undo());

  const listensOn = () => until(() => /"listens_on":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(gateway.output())?.[1]);

  it('names what looks like a setting and is none', () => {
    assert.match(gateway.output(), /"names":\["WAYPOST_RATE_REQEUSTS"\].*"settings\.unknown"/);
  });

  it('says in the log where it listens, also when the world reaches it by another address', async () => {
    assert.equal(gateway.dev.base_url, 'https://gateway.test');
    assert.equal((await fetch(`${await listensOn()}/readyz`)).status, 200);
  });

  it('says where it has made the tables', () => {
    const line = gateway.output().match(/^.*installation\.new.*$/m)?.[0] ?? '';
    const { level, database, schema, other_schemas, data_dir } = JSON.parse(line);
    const name = new URL(databaseUrl.replace('@/', '@localhost/')).pathname.slice(1);
    assert.deepEqual([level, database, schema, other_schemas, data_dir], [30, name, 'public', [], undefined]);
  });

  it('tells in the audit log what a first start has made, by a word that the description of the API has', async () => {
    const { dev } = gateway;
    const url = await listensOn();
    const path = `/platform/v1/audit?account_id=${dev.account_id}`;
    const { json } = await callApi(url, 'GET', path, { key: dev.platform_key });
    const { json: api } = await callApi(url, 'GET', '/openapi.json', { key: null });
    const told = json.data.map(({ actor, action }: { actor: string; action: string }) => [action, actor]);
    assert.deepEqual(told, [
      ['key.created', 'first start'],
      ['account.created', 'first start'],
    ]);
    assert.match(api.components.schemas.AuditEntry.properties.actor.description, /`first start`/);
  });

  it('tells the sandbox none of its secrets, but the one that is for it', onLinux, async () => {
    const children = (await childrenOf(gateway.child.pid)) ?? [];
    const environments = children.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8'));
    const told = (await Promise.all(environments)).filter((variables) => variables.includes('WAYPOST_SANDBOX_CHILD='));
    assert.equal(told.length, 1);
    for (const word of [secret, WAYPOST_MASTER_KEY, databaseUrl]) assert.ok(!told[0]?.includes(word));
    assert.match(told[0] ?? '', /WAYPOST_SANDBOX_APP_SECRET=./);
  });
});

it('a start that is told to stop while it loads its sources ends with 0', async (t) => {
  const dataDir = await makeDataDir(t);
  const cache = join(dataDir, 'compile-cache');
  await mkdir(cache);
  const start = beginStart(t, dataDir);
  // Once something is in the cache, every source that is loaded is kept there.
  await until(async () => (await readdir(cache)).length > 0);
  start.child.kill('SIGTERM');
  assert.deepEqual(await start.gone, [0, null]);
});

it('a start on a data folder where nothing can be made ends with a sentence', onLinux, async () => {
  for (const [dataDir, more] of [
    // Node's own `recursive` asks /proc for ever. The compiled sources would be kept in such a folder too.
    ['/proc/waypost', {}],
    ['/sys/waypost', { NODE_COMPILE_CACHE: COMPILE_CACHE }],
  ] as const) {
    const env = { PATH: process.env.PATH, WAYPOST_DATA_DIR: dataDir, ...more };
    const child = spawn(process.execPath, ['scripts/start.js'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const limit = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
    const told = Buffer.concat(await child.stderr.toArray()).toString();
    clearTimeout(limit);
    assert.match(told, /WAYPOST_DATA_DIR must be a folder that can be written to/);
  }
});

it('a HOST that is no address of this machine is told by its name', async (t) => {
  const database = await ownDatabase(t);
  const sentence = /^Error: HOST must be .*$/m;
  await refuses(await makeDataDir(t), { ...database, WAYPOST_SANDBOX: 'off', HOST: '192.0.2.1' }, sentence);
  await assert.rejects(listen(Fastify(), { host: '999.1.1.1', port: 0, setting: 'PORT' }), sentence);
  // No machine of ours has such a kernel.
  const withoutIpv6 = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' });
  const server = Object.assign(Fastify(), { listen: () => Promise.reject(withoutIpv6) });
  await assert.rejects(listen(server, { host: '::', port: 0, setting: 'PORT' }), sentence);
});

it('a machine whose clock has lost the time starts nothing, and is told what it says', async (t) => {
  const dataDir = await makeDataDir(t);
  const lost = { NODE_OPTIONS: '--import=data:text/javascript,Date.now=()=>86400000' };
  await refuses(dataDir, { ...lost, WAYPOST_SANDBOX: 'off' }, /^Error: The clock .*: it says 1970-01-02T.*$/m);
  assert.ok(!existsSync(join(dataDir, 'secrets.json')));
});

function isIpv6Here(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ family }) => family === 'IPv6'));
}

/** Begins a start without waiting for it. */
function beginStart(t: TestContext, dataDir: string, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['scripts/start.js'], {
    env: { PATH: process.env.PATH, WAYPOST_DATA_DIR: dataDir, ...more },
    stdio: 'ignore',
  });
  t.after(() => child.kill('SIGKILL'));
  return { child, gone: once(child, 'exit') };
}

/** undefined if there are none. */
async function childrenOf(pid: number | undefined): Promise<string[] | undefined> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim();
  return children === '' ? undefined : children.split(' ');
}

/** One variable a line; undefined until the process runs this program. */
async function environmentOf(pid: string | undefined, program: string): Promise<string | undefined> {
  const read = async (name: string) => (await readFile(`/proc/${pid}/${name}`, 'utf8')).replaceAll('\0', '\n');
  return (await read('cmdline')).includes(program) ? read('environ') : undefined;
}

async function makeDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-start-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  return dataDir;
}

/** Asserts that the start ends with code 1 and one sentence that matches, without a stack. Returns everything that was printed. */
async function refuses(dataDir: string, env: Record<string, string>, sentence: RegExp): Promise<string> {
  const said = await startGatewayProcess(dataDir, env).then(
    async (gateway) => {
      await gateway.kill();
      return assert.fail('It has started');
    },
    (error: unknown) => String(error),
  );
  assert.match(said, /ended with code 1:/);
  assert.match(said, sentence);
  assert.doesNotMatch(said, /^ {4}at /m);
  return said;
}
