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

/** Answers for every name with one address. Returns its port. */
async function startNameServer(t: TestContext, address: string): Promise<number> {
  const server = createSocket('udp4');
  t.after(() => server.close());
  server.on('message', (query, { port }) => server.send(answerTo(query, address), port, '127.0.0.1'));
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  return server.address().port;
}

/** https://www.rfc-editor.org/rfc/rfc1035#section-4.1: what is asked for follows 12 bytes, a name that ends with a zero before its type. */
function answerTo(query: Buffer, address: string): Buffer {
  const typeAt = query.indexOf(0, 12) + 1;
  const isIPv4 = query.readUInt16BE(typeAt) === 1;
  const head = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, isIPv4 ? 1 : 0, 0, 0, 0, 0])]);
  const question = query.subarray(12, typeAt + 4);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat(isIPv4 ? [head, question, record] : [head, question]);
}
