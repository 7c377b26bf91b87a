import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Nobody else sees what is mounted then, and whoever may not be root is so only there. */
const APART = ['--map-root-user', '--mount'];
const SETTINGS = '/etc/resolv.conf';
/** Below the time after which a silent name server is asked again. */
const SOON_MS = 2_500;
const cannotMount = await run('unshare', [...APART, 'mount', '--bind', SETTINGS, SETTINGS]).then(
  () => false,
  () => 'The name servers of this machine cannot be changed for one process',
);

it('a name is asked of the name servers that the machine has now', { skip: cannotMount }, async (t) => {
  const [before, after] = [await startNameServer(t, '198.51.100.1'), await startNameServer(t, '198.51.100.2')];
  const program = `
    import { writeFileSync } from 'node:fs';
    import { createResolve } from './src/endpoints/address/resolve.ts';
    let nowMs = 0;
    const resolve = createResolve({ steadyMs: () => nowMs });
    const first = await resolve('shop.example');
    writeFileSync('${SETTINGS}', 'nameserver 127.0.0.1:${after}');
    nowMs = 30_000;
    console.log(JSON.stringify([first, await resolve('shop.example')]));
  `;
  assert.deepEqual(await runWithNameServer(t, before, program), [['198.51.100.1'], ['198.51.100.2']]);
});

it('a name whose address for IPv4 is there does not wait long for one for IPv6', { skip: cannotMount }, async (t) => {
  const port = await startNameServer(t, '198.51.100.1', 'silent');
  const program = `
    import { createResolve } from './src/endpoints/address/resolve.ts';
    const begunMs = performance.now();
    const addresses = await createResolve()('shop.example');
    console.log(JSON.stringify([addresses, performance.now() - begunMs]));
    process.exit(0);
  `;
  const told = await runWithNameServer(t, port, program);
  assert.ok(Array.isArray(told));
  const [addresses, tookMs] = told;
  assert.deepEqual(addresses, ['198.51.100.1']);
  assert.ok(tookMs < SOON_MS, `${tookMs} ms`);
});

it('an address for IPv6 that is told soon is told with those for IPv4, to be checked as they are', {
  skip: cannotMount,
}, async (t) => {
  const port = await startNameServer(t, '198.51.100.1', '::1');
  const program = `
    import { createResolve } from './src/endpoints/address/resolve.ts';
    console.log(JSON.stringify(await createResolve()('shop.example')));
  `;
  assert.deepEqual(await runWithNameServer(t, port, program), ['198.51.100.1', '::1']);
});

it('a slow name is waited for also after names that were told at once', { skip: cannotMount }, async (t) => {
  const port = await startNameServer(t, '198.51.100.1', 'none', 3_500);
  const program = `
    import { createResolve } from './src/endpoints/address/resolve.ts';
    const resolve = createResolve();
    for (let n = 0; n < 30; n += 1) await resolve('shop' + n + '.example');
    console.log(JSON.stringify(await resolve('slow.example')));
  `;
  assert.deepEqual(await runWithNameServer(t, port, program), ['198.51.100.1']);
});

/** Runs a program that has one name server, on this port, and returns what it prints. */
async function runWithNameServer(t: TestContext, port: number, program: string): Promise<unknown> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-'));
  t.after(() => rm(dir, { recursive: true }));
  const settings = join(dir, 'resolv.conf');
  await writeFile(settings, `nameserver 127.0.0.1:${port}`);
  const script = `mount --bind "$0" ${SETTINGS} && exec "$@"`;
  const shell = ['sh', '-c', script, settings, process.execPath, '--eval', program];
  return JSON.parse((await run('unshare', [...APART, ...shell])).stdout);
}

/**
 * Answers for every name with one address for IPv4; for a slow one only some time after it was first asked for. Of IPv6 it says that there is none, or
 * nothing, or this machine. Returns its port.
 */
async function startNameServer(
  t: TestContext,
  ipv4: string,
  ipv6: 'none' | 'silent' | '::1' = 'none',
  slowMs = 0,
): Promise<number> {
  const server = createSocket('udp4');
  t.after(() => server.close());
  let slowSinceMs: number | undefined;
  const leftMs = (query: Buffer) => {
    if (!query.includes('slow', 12)) return 0;
    slowSinceMs ??= performance.now();
    return Math.max(0, slowSinceMs + slowMs - performance.now());
  };
  server.on('message', (query, { port }) => {
    const answer = (...address: number[]) =>
      setTimeout(() => server.send(answerTo(query, address), port, '127.0.0.1'), leftMs(query));
    if (isIPv4(query)) answer(...ipv4.split('.').map(Number));
    else if (ipv6 === '::1') answer(...Array<number>(15).fill(0), 1);
    else if (ipv6 === 'none') answer();
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  return server.address().port;
}

/** https://www.rfc-editor.org/rfc/rfc1035#section-4.1: what is asked for follows 12 bytes, a name that ends with a zero before its type. */
function typeAt(query: Buffer): number {
  return query.indexOf(0, 12) + 1;
}

function isIPv4(query: Buffer): boolean {
  return query.readUInt16BE(typeAt(query)) === 1;
}

/** No bytes of an address: there is none. */
function answerTo(query: Buffer, address: number[]): Buffer {
  const answers = address.length > 0 ? 1 : 0;
  const head = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0])]);
  const question = query.subarray(12, typeAt(query) + 4);
  const type = isIPv4(query) ? 1 : 28;
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]);
  return Buffer.concat(answers > 0 ? [head, question, record] : [head, question]);
}
