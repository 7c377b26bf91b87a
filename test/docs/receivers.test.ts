import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { until } from '../support/until.ts';
import { blocksOf } from './blocks.ts';

interface Language {
  /** The language that the page gives for the block. */
  fence: string;
  file: string;
  command: string[];
  /** A command whose exit code says whether the language is on this machine. */
  look: string[];
}

const LANGUAGES: Language[] = [
  { fence: 'js', file: 'receiver.mjs', command: [process.execPath], look: [process.execPath, '--version'] },
  { fence: 'python', file: 'receiver.py', command: ['python3'], look: ['python3', '--version'] },
  { fence: 'go', file: 'receiver.go', command: ['go', 'run'], look: ['go', 'version'] },
];
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Long, because the compiler of Go may first have to build its own library. */
const START_TIMEOUT_MS = 120_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-receivers-'));
  await symlink(MODULES, join(folder, 'node_modules'), 'junction');
});
after(() => rm(folder, { recursive: true }));

describe('the receiver on the page, in', () => {
  for (const language of LANGUAGES) {
    const { fence, look } = language;
    const missing = spawnSync(look[0] ?? '', look.slice(1)).status !== 0 && `there is no ${look[0]} on this machine`;
    it(fence, { skip: missing }, async () => {
      const { child, url, written } = await start(language);
      try {
        for (const { name, headers, body, expected } of vectors()) {
          const answer = await fetch(url, { method: 'POST', headers, body });
          assert.equal(answer.status, expected, `${fence}: ${name}`);
        }
        await until(() => written().includes('7 message.received') && written().includes('test endpoint.test'));
      } finally {
        // The whole process group, because `go run` starts the program as a child.
        process.kill(-(child.pid ?? 0), 'SIGKILL');
        await once(child, 'close');
      }
    });
  }
});

async function start({
  fence,
  file,
  command,
}: Language): Promise<{ child: ChildProcess; url: string; written: () => string }> {
  const [source, ...more] = blocksOf('docs/receiving-events.md', fence);
  assert.ok(source !== undefined && more.length === 0, `The page has one block in ${fence}`);
  await writeFile(join(folder, file), source);
  const [program = '', ...rest] = command;
  const env = { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET };
  const child = spawn(program, [...rest, join(folder, file)], { env, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const port = await until(() => {
    if (child.exitCode !== null) throw new Error(`The receiver in ${fence} ended:\n${output}`);
    return /Listening on port (\d+)/.exec(output)?.[1];
  }, START_TIMEOUT_MS);
  return { child, url: `http://127.0.0.1:${port}/`, written: () => output };
}

/** Signed with the public library. The body is not ASCII, because such a body may change when it is decoded and encoded again. */
function vectors() {
  const id = 'evt_test';
  const body = '{"id": "evt_test", "type":"message.received","sequence":7,"data":{"text":"Grüße 🎉"}}';
  const test = '{"id": "evt_test", "type":"endpoint.test","data":{"endpoint":{}}}';
  const sign = (secret: string, at: Date, text = body) => ({
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, text),
  });
  const now = new Date();
  const right = sign(SECRET, now);
  const other = sign(`whsec_${randomBytes(32).toString('base64')}`, now);
  const both = `${other['webhook-signature']} ${right['webhook-signature']}`;
  return [
    { name: 'a right signature', headers: right, body, expected: 204 },
    { name: 'two, of which one is right', headers: { ...right, 'webhook-signature': both }, body, expected: 204 },
    { name: 'a test event', headers: sign(SECRET, now, test), body: test, expected: 204 },
    { name: 'another secret', headers: other, body, expected: 401 },
    { name: 'another body', headers: right, body: body.replace('7', '8'), expected: 401 },
    { name: 'another id', headers: { ...right, 'webhook-id': 'evt_other' }, body, expected: 401 },
    { name: 'ten minutes ago', headers: sign(SECRET, new Date(now.getTime() - 600_000)), body, expected: 401 },
    { name: 'in ten minutes', headers: sign(SECRET, new Date(now.getTime() + 600_000)), body, expected: 401 },
    { name: 'no headers', headers: { 'content-type': 'application/json' }, body, expected: 401 },
  ];
}
