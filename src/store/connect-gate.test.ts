import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../../client/test/listen.ts';
import { until } from '../../test/support/until.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createConnectGate } from './connect-gate.ts';
import { openDatabase } from './database.ts';

describe('the gate before new connections', () => {
  it('keeps a server that is away from more than a few attempts, however many statements want one', async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    const url = `postgresql://waypost@${new URL(await listen(server)).host}/waypost`;
    const database = openDatabase({ connection: { url }, connections: 10, onError: () => undefined });
    await assert.rejects(database.query('select 1'), StoreUnavailable);
    let refused = 0;
    while (refused < 2_000 || attempts < 4) {
      await Promise.all(
        Array.from({ length: 50 }, () =>
          assert.rejects(database.query('select 1'), (error) => {
            refused += 1;
            return error instanceof StoreUnavailable && !error.commitInDoubt;
          }),
        ),
      );
      await wait(5);
    }
    await database.close();
    server.close();
    // One after 50, 100, 200 ... ms, halved at the most by the jitter.
    assert.ok(attempts < refused / 100, `${attempts} attempts for ${refused} statements`);
  });

  it('opens with the first success, and tries one at a time until then', async () => {
    const gate = createConnectGate();
    await assert.rejects(
      gate(() => Promise.reject(new Error('away'))),
      /away/,
    );
    await assert.rejects(
      gate(() => assert.fail('It is asked at once')),
      /away/,
    );
    const { promise, resolve } = Promise.withResolvers<string>();
    let probes = 0;
    const probe = () => {
      probes += 1;
      return promise;
    };
    const first = await until(() => {
      const tried = gate(probe);
      // Those that come before the pause is over are refused, and only the one that got through is looked at.
      tried.catch(() => undefined);
      return probes === 1 ? { tried } : undefined;
    });
    await assert.rejects(gate(probe), /away/, 'only one tries');
    resolve('connected');
    assert.equal(await first.tried, 'connected');
    assert.deepEqual(await Promise.all([gate(probe), gate(probe)]), ['connected', 'connected']);
  });
});
