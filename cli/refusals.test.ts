import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listen } from '../client/test/listen.ts';
import { runCli } from './test-support.ts';

const SEND = ['send', '--to', '+447700900101'];
const TEMPLATE = [...SEND, '--template', 'order_update'];

describe('a command line that is wrong is refused with 2 and a sentence, and nothing is called', () => {
  let calls = 0;
  const server = createServer((_, answer) => {
    calls++;
    answer.end('{}');
  });
  let folder: string;
  let env: Record<string, string>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waypost-refusals-'));
    await writeFile(join(folder, 'empty'), '\n');
    await writeFile(join(folder, 'two words'), 'two words\n');
    const keys = { WAYPOST_API_KEY: 'wp_test_a', WAYPOST_PLATFORM_KEY: 'wp_root_a' };
    env = { ...keys, WAYPOST_URL: await listen(server) };
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  async function isRefused(args: readonly string[], told: RegExp): Promise<void> {
    const words = args.map((word) => word.replace(/^FOLDER/, folder));
    const { exitCode, stdout, stderr } = await runCli(words, env);
    assert.deepEqual([exitCode, stdout, calls], [2, '', 0], `${words.join(' ')}: ${stderr}`);
    assert.match(stderr, told);
  }

  for (const [how, told, ...lines] of [
    [
      'what is sent',
      /^Give either --text or --template\.$/m,
      SEND,
      [...TEMPLATE, '--language', 'de', '--text', 'Hello'],
    ],
    ['the language of a template', /^A --template needs its --language/, TEMPLATE],
    [
      'JSON of a component',
      /^--component-json is not JSON: /,
      [...TEMPLATE, '--language', 'de', '--component-json', '{type: header}'],
    ],
    [
      'the type of a component',
      /^--component-json must have a "type"/,
      [...TEMPLATE, '--language', 'de', '--component-json', '[{"type":"header"},1]'],
    ],
    [
      'whom it is for',
      /^Say who gets it: --to /,
      ['send', '--text', 'Hello'],
      ['send', '--to', ' ,;', '--text', 'Hello'],
    ],
    [
      'the file that it belongs to',
      /^--report works with --csv only/,
      [...SEND, '--text', 'Hello', '--report', 'r.csv'],
    ],
    ['a key that is one', /^--idempotency-key must be /, [...SEND, '--text', 'Hello', '--idempotency-key', 'order 42']],
    ['a number', /^--after must be a whole number, and is "last"/, ['events', 'tail', '--after', 'last']],
    [
      'a type of event',
      /^"message\.seen" is no type of event\. /,
      ['events', 'tail', '--type', 'message.read,message.seen'],
    ],
    [
      'that it is meant',
      /, for good\.\nIf you mean it, add --yes\.$/m,
      ['erase', 'ID', '--to', '+447700900101'],
      ['accounts', 'delete', 'ID'],
    ],
  ] as const)
    it(`because it lacks ${how}`, async () => {
      for (const args of lines) await isRefused(args, told);
    });

  it('because a file of it cannot be used', async () => {
    await isRefused(['messages', '--key-file', 'FOLDER/none'], /^The key file .*none cannot be read: ENOENT/);
    await isRefused(['messages', '--key-file', 'FOLDER/empty'], /^The key file .*empty is empty\.$/m);
    await isRefused(
      ['messages', '--key-file', 'FOLDER/two words'],
      /^What is in .*two words is not a key: it has spaces/,
    );
    await isRefused(
      ['channels', 'update', 'ID', '--access-token-file', 'FOLDER'],
      /^The file of --access-token-file cannot be/,
    );
    await isRefused(
      ['endpoints', 'check-signature', 'ID', '--headers-file', 'FOLDER/none', '--body-file', 'FOLDER/empty'],
      /none cannot be read: ENOENT/,
    );
  });
});
