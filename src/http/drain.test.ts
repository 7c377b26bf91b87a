import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { startLiveWorld } from '../../test/pacing/live-world.ts';
import { startTestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { transmitsOf } from '../../test/support/transmits.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';

describe('a gateway that drains', () => {
  it('carries through what is under way and refuses what comes now, without transmitting it', async () => {
    const world = await startLiveWorld();
    const { gateway, provider, liveKey } = world;
    const from = await world.connect();
    const release = provider.hold();
    const held = world.sendText(from, ['+447700900801']);
    await until(() => provider.taken.length === 1);

    // A request that has begun to arrive: its connection is not idle.
    const late = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    await once(late, 'connect');
    late.write('POST /api/v1/messages/send HTTP/1.1\r\nhost: x\r\n');
    await gateway.call('GET', '/api/v1/account');
    const drained = gateway.app.drain();
    let answer = '';
    late.on('data', (chunk) => (answer += chunk));
    const json = JSON.stringify({ to: '+447700900802', type: 'text', text: { body: 'Hello' } });
    late.end(
      `authorization: Bearer ${liveKey}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
    );
    await once(late, 'close');
    assert.match(answer, /^HTTP\/1\.1 503 /);
    assert.match(answer, /\r\ncontent-type: application\/problem\+json\r\n/);
    assert.match(answer, /\r\nretry-after: 1\r\n/);
    assert.match(answer, /"code":"unavailable"/);

    const ready = await gateway.call('GET', '/readyz');
    const { reason, ...problem } = ready.json;
    assertProblem({ ...ready, json: problem }, 'unavailable');
    assert.equal(reason, 'stopping');
    assert.equal(ready.headers.get('retry-after'), '1');
    assertProblem(await world.sendText(from, ['+447700900803']), 'unavailable');

    release();
    const { status, json: aggregate } = await held;
    assert.deepEqual([status, aggregate.accepted_count], [200, 1]);
    await drained;
    assert.equal(provider.taken.length, 1);
    await world.stop();
  });

  it('does not begin what was on its way when the stop began, and has no 200 for it', async () => {
    const gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
    const json = JSON.stringify({ to: '+447700900804', type: 'text', text: { body: 'Hello' } });
    const slow = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    slow.write(
      `POST /api/v1/messages/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.testKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json.slice(0, 10)}`,
    );
    // What came before it has been read by then.
    await gateway.call('GET', '/api/v1/account');
    const drained = gateway.app.drain();
    slow.end(json.slice(10));
    const answer = Buffer.concat(await slow.toArray()).toString();
    assert.match(answer, /^HTTP\/1\.1 503 /);
    await drained;
    assert.deepEqual(await transmitsOf(gateway.sandbox), []);
    await gateway.stop();
  });

  it('answers what has come whole, and then hangs up on who has not finished a request', async () => {
    const gateway = await startTestGateway();
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const locking = gateway.database.transaction(async (tx) => {
      await tx.query('lock table audit');
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const held = gateway.call('GET', '/platform/v1/audit', { key: gateway.platformKey });
    await until(async () => (await countWaitingForLocks(gateway.database)) > 0);
    const slow = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    slow.write('POST /api/v1/messages/send HTTP/1.1\r\nhost: x\r\n');
    await once(slow, 'connect');
    const begunMs = performance.now();
    const drained = gateway.app.drain();
    // Longer than it waits for a request that is on its way.
    await until(() => performance.now() - begunMs > 2_000);
    assert.equal(slow.closed, false);
    release.resolve();
    assert.equal((await held).status, 200);
    await once(slow, 'close');
    await drained;
    await locking;
    await gateway.stop();
  });

  it('answers whoever has called already, although a busy process has not read the calls yet', async () => {
    const gateway = await startTestGateway();
    const { port } = new URL(gateway.url);
    const callers = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1'));
    const answers = callers.map(async (caller) => {
      caller.end(`POST /api/v1/messages/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.testKey}\r\n\r\n`);
      return Buffer.concat(await caller.toArray()).toString();
    });
    // The system has taken the connections, and the gateway has not: it accepts none before the stack is empty.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const drained = gateway.app.drain();
    for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 503 /);
    await drained;
    await gateway.stop();
  });
});
