import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { until } from '../../test/support/until.ts';
import { createLoops } from './loops.ts';

const registry = new Registry();
const loops = createLoops(registry);
const failing = () => Promise.reject(new Error('away'));

async function gaugeOf(name: string, labels: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((one) => one.startsWith(`${name}{${labels}} `));
  return Number(line?.split(' ')[1]);
}

describe('the watch over loops', () => {
  it('gives back what a round gives or throws, and counts both', async () => {
    const watch = loops.watch('plain', 5);
    assert.equal(await watch(async () => 42), 42);
    await assert.rejects(watch(failing), /away/);
    assert.equal(await gaugeOf('waypost_loop_rounds_total', 'loop="plain",result="done"'), 1);
    assert.equal(await gaugeOf('waypost_loop_rounds_total', 'loop="plain",result="failed"'), 1);
    assert.equal(await gaugeOf('waypost_loop_period_seconds', 'loop="plain"'), 5);
  });

  it('sees a loop fall behind when its rounds fail, and when one never ends', async () => {
    const lag = (loop: string) => gaugeOf('waypost_loop_lag_seconds', `loop="${loop}"`);
    await assert.rejects(loops.watch('fails', 1)(failing));
    void loops.watch('hangs', 1)(() => new Promise(() => {}));
    await until(async () => (await lag('fails')) > 0.05 && (await lag('hangs')) > 0.05);
  });

  it('takes the rest of a loop that runs on demand for no lag, but its failure', async () => {
    const watch = loops.watch('asked', 0.25, 'onDemand');
    const lag = () => gaugeOf('waypost_loop_lag_seconds', 'loop="asked"');
    await watch(async () => undefined);
    assert.equal(await lag(), 0);
    await until(async () => {
      await assert.rejects(watch(failing));
      return (await lag()) > 0.01;
    });
    // Whoever needed it has gone, and so nobody repeats it.
    await until(async () => (await lag()) === 0);
    await assert.rejects(watch(failing));
    assert.ok((await lag()) < 1, 'the time that it rested is none of its lag');
    await watch(async () => undefined);
    assert.equal(await lag(), 0);
  });
});
