import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { createPorts, LANES_MAX, portsFrom } from './ports.ts';

const PORTS_OF_LANE = portsFrom(0, 1) - portsFrom(0, 0);
/** From here on Linux gives ports out by itself. Other systems begin higher. */
const GIVEN_OUT_FROM = 32_768;

describe('the ports of a lane', () => {
  it('are of this lane only, and none that the system gives out', () => {
    for (let pid = 1; pid < 200; pid++) {
      const firsts = Array.from({ length: LANES_MAX }, (_, lane) => portsFrom(pid, lane));
      for (const [lane, first] of firsts.entries()) {
        assert.ok(first >= 1024 && first + PORTS_OF_LANE <= GIVEN_OUT_FROM);
        assert.ok(first + PORTS_OF_LANE <= (firsts[lane + 1] ?? Number.POSITIVE_INFINITY));
      }
    }
  });

  it('are given out in turn, without one that somebody uses', async () => {
    const from = portsFrom(process.pid, LANES_MAX - 1);
    const take = createPorts(from);
    const first = await take();
    const stranger = createServer().listen(first + 1, '127.0.0.1');
    await once(stranger, 'listening');
    try {
      const ports = new Set([first]);
      while (ports.size < PORTS_OF_LANE - 1) {
        const port = await take();
        assert.ok(port >= from && port < from + PORTS_OF_LANE && port !== first + 1);
        assert.ok(!ports.has(port), 'A port came again before all were given out');
        ports.add(port);
      }
      assert.equal(await take(), first);
    } finally {
      stranger.close();
    }
  });
});
