import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { until } from '../../test/support/until.ts';
import { runCli } from '../test-support.ts';

describe('one message', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.stop());
  const cli = (...args: string[]) => runCli(args, { WAYPOST_URL: gateway.url, WAYPOST_API_KEY: gateway.testKey });

  it('is shown with what it holds and why it failed, in lines that need no JSON', async () => {
    const content = ['--template', 'order_update', '--language', 'en_US', '--param', 'Ada'];
    const [{ id }] = JSON.parse((await cli('send', '--to', '+15550131026', ...content, '--json')).stdout).results;
    const { stdout } = await cli('messages', 'get', id);
    assert.match(stdout, /^error\n {2}code +recipient_unreachable\n {2}message +\S/m);
    assert.match(stdout, /^template\n {2}name +order_update\n {2}language +en_US\n {2}components\n/m);
    assert.doesNotMatch(stdout, /[{}[\]]/);
  });

  it('is counted in the table of its hour, with the reason if it failed, and in the line of all', async () => {
    await cli('send', '--to', '+15550131026,+447700900130', '--text', 'hello');
    await until(async () => {
      const { json } = await gateway.call('GET', '/api/v1/statistics');
      return json.totals.accepted > 0 && json.failures.length > 0;
    });
    const { stdout, stderr } = await cli('statistics', '--step', 'hour');
    const [titles = '', ...lines] = stdout.split('\n');
    assert.match(titles, /^AT +ACCEPTED +SENT +DELIVERED +READ +FAILED +UNKNOWN +RECEIVED$/);
    const hours = lines.findIndex((line) => /^all +[1-9]/.test(line));
    assert.ok(hours === 1 || hours === 2, 'hours in which nothing happened are left out');
    assert.match(stderr, /^As it was at 20\d\d-.*Z\.$/m, 'what was sent a moment ago is not counted yet');
    assert.match(stdout, /\n\nERROR +COUNT\nrecipient_unreachable +\d\n$/);
  });

  it('is listed with others in pages, each of which says how to read on', async () => {
    for (const to of ['+447700900131', '+447700900132']) await cli('send', '--to', to, '--text', 'hello');
    const first = await cli('messages', '--limit', '1');
    const [, cursor = ''] = /^There is more: --cursor (\S+)$/m.exec(first.stderr) ?? [];
    const second = await cli('messages', '--limit', '1', '--cursor', cursor);
    assert.match(first.stdout, /447700900132/);
    assert.match(second.stdout, /447700900131/);
  });

  it('that is not there is told by a remark, and there is no table of nothing', async () => {
    const none = await cli('messages', '--to', '+447700900139');
    assert.deepEqual([none.exitCode, none.stdout, none.stderr], [0, '', 'Nothing was found.\n']);
  });
});
