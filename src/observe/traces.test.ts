import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTraces } from './traces.ts';

const DEAD = { kind: 'otlp', url: 'http://127.0.0.1:9/v1/traces', headers: {} } as const;
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const tracesTo = (sampler: string, samplerRatio: number, onLost = () => {}) =>
  createTraces({ exporter: DEAD, serviceName: 'test', sampler, samplerRatio }, '0.0.0', onLost);

describe('traces', () => {
  it('are not there without an exporter', async () => {
    assert.equal(await createTraces(undefined, '0.0.0', () => {}), undefined);
  });

  it('that a collector does not take are told of, and do not hold up the stop', async () => {
    let lost = 0;
    const traces = await tracesTo('parentbased_always_on', 1, () => lost++);
    traces?.begin('step', 'internal', CALLER).end();
    await traces?.close();
    assert.equal(lost, 1);
  });

  it('without a caller are kept as the sampler says, and with one as the caller says', async () => {
    for (const [sampler, ratio, own, called] of [
      ['parentbased_always_on', 1, '01', '01'],
      ['parentbased_always_off', 1, '00', '01'],
      ['parentbased_traceidratio', 0, '00', '01'],
      ['always_off', 1, '00', '00'],
    ] as const) {
      const traces = await tracesTo(sampler, ratio);
      const flagsOf = (parent?: string) => traces?.begin('step', 'internal', parent).traceparent.split('-')[3];
      assert.deepEqual([flagsOf(), flagsOf(CALLER)], [own, called], sampler);
      await traces?.close();
    }
  });

  it("continue the caller's trace with a step of their own", async () => {
    const traces = await tracesTo('parentbased_always_on', 1);
    const [version, traceId, spanId] = traces?.begin('step', 'internal', CALLER).traceparent.split('-') ?? [];
    assert.deepEqual([version, traceId], ['00', '0af7651916cd43dd8448eb211c80319c']);
    assert.ok(spanId?.length === 16 && !CALLER.includes(spanId));
    await traces?.close();
  });
});
