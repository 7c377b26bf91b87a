import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EventServer, startEventServer } from '../../test/events/event-server.ts';
import { runCli } from '../test-support.ts';

describe('a page of events', () => {
  let server: EventServer;
  before(async () => {
    server = await startEventServer();
    await server.record(60, { types: ['message.sent', 'message.failed'] });
  });
  after(() => server.stop());
  const list = (...args: string[]) =>
    runCli(['events', ...args], { WAYPOST_URL: server.url, WAYPOST_API_KEY: server.key });

  it('says how to go on where more follow it, and what it says leads to the end', async () => {
    const first = await list();
    assert.equal(first.exitCode, 0, first.stderr);
    assert.equal(first.stderr, 'There is more: --after 50\n');
    const rest = await list('--after', '50');
    assert.match(rest.stdout, /^SEQUENCE.*\n51 (.*\n){9}60 .*\n$/);
    assert.equal(rest.stderr, '');
  });

  it('says nothing where it ends with the log, full or not', async () => {
    for (const args of [
      ['--limit', '60'],
      ['--after', '40', '--limit', '20'],
      ['--after', '60', '--limit', '1'],
    ])
      assert.doesNotMatch((await list(...args)).stderr, /more/, args.join(' '));
  });

  it('of some types says that there may be more, unless it has all of them', async () => {
    const cut = await list('--type', 'message.failed', '--limit', '3');
    assert.equal(cut.stderr, 'There may be more: --after 6\n');
    assert.equal((await list('--type', 'message.sent')).stderr, '');
  });

  it('for a program is as it came, without a remark', async () => {
    const { stdout, stderr } = await list('--limit', '1', '--json');
    assert.deepEqual([JSON.parse(stdout).data.length, stderr], [1, '']);
  });
});
