import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { PROGRAM_ENV } from '../support/program-env.ts';

const ALONE = ['--user', '--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-euc'];
/** A network of its own, whose name servers are the ones in that folder. */
const IN_NETWORK = `
  ip link set lo up
  for file in resolv.conf nsswitch.conf; do [ ! -e /etc/$file ] || mount --bind "$0/$file" /etc/$file; done
  exec "$@"`;
/** Two name servers. The first one says nothing, and the other one that each name is 127.0.0.1. Then the start. */
const NAME_SERVERS = `
  const { createSocket } = require('node:dgram');
  const silent = createSocket('udp4').bind(53, '127.0.0.2');
  const telling = createSocket('udp4').bind(53, '127.0.0.1');
  telling.on('message', (asked, { port, address }) => {
    const question = asked.subarray(12, asked.indexOf(0, 12) + 5);
    const isIpv4 = question.readUInt16BE(question.length - 4) === 1;
    const head = Buffer.from([...asked.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    telling.send(Buffer.concat([head, question, ...(isIpv4 ? [answer] : [])]), port, address);
  });
  const start = () => require('node:child_process')
    .spawn(process.execPath, ['scripts/start.js'], { stdio: 'inherit' }).on('exit', (code) => process.exit(code));
  silent.on('listening', () => telling.listening ? start() : telling.on('listening', start));`;

it('a start finds its database by name although the first of two name servers is silent', {
  skip:
    spawnSync('unshare', [...ALONE, 'ip link show lo && mount']).status !== 0 && 'No network of its own can be made',
}, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-names-'));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));
  await writeFile(join(dir, 'resolv.conf'), 'nameserver 127.0.0.2\nnameserver 127.0.0.1\n');
  await writeFile(join(dir, 'nsswitch.conf'), 'hosts: dns\n');
  const child = spawn('unshare', [...ALONE, IN_NETWORK, dir, process.execPath, '-e', NAME_SERVERS], {
    env: {
      ...PROGRAM_ENV,
      WAYPOST_DATA_DIR: join(dir, 'data'),
      WAYPOST_DATABASE_WAIT_MS: '0',
      DATABASE_URL: 'postgresql://user@database.example:1/waypost',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const told = Buffer.concat(await child.stderr.toArray()).toString();
  // Nothing listens there: it is enough that it was asked.
  assert.match(told, /^Error: DATABASE_URL .*ECONNREFUSED 127\.0\.0\.1:1$/m);
});
