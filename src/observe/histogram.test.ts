import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Histogram, Registry } from 'prom-client';
import { createCounter } from './counter.ts';
import { createHistogram } from './histogram.ts';

const TOLD = { name: 'told', help: 'What came.', labelNames: ['kind', 'status'] as const };
const BUCKETS = [0.01, 0.5, 1, 10];
/** On the bounds, between them and beyond the last one, in series that begin at different times. */
const VALUES = [0, 0.01, 0.010_1, 0.5, 0.75, 1, 10, 10.5, 1e9, -3];
const CASES = VALUES.map((value, index) => ({ kind: index % 3 ? 'b' : 'a', status: index % 2 ? 200 : 404, value }));

describe('a histogram that is told at the scrape', () => {
  it('is told as prom-client tells its own, scrape after scrape', async () => {
    const [theirs, ours] = [new Registry(), new Registry()];
    const library = new Histogram({ ...TOLD, buckets: BUCKETS, registers: [theirs] });
    const own = createHistogram({ ...TOLD, buckets: BUCKETS, registers: [ours] });
    assert.equal(await ours.metrics(), await theirs.metrics());
    for (const { value, ...labels } of CASES) {
      library.observe(labels, value);
      own.observe(labels, value);
      assert.equal(await ours.metrics(), await theirs.metrics());
    }
  });

  it('without labels is told before anything is observed, as prom-client does', async () => {
    const [theirs, ours] = [new Registry(), new Registry()];
    const options = { ...TOLD, labelNames: [], buckets: BUCKETS };
    const library = new Histogram({ ...options, registers: [theirs] });
    const own = createHistogram({ ...options, registers: [ours] });
    assert.equal(await ours.metrics(), await theirs.metrics());
    library.observe(0.7);
    own.observe({}, 0.7);
    assert.equal(await ours.metrics(), await theirs.metrics());
  });

  it('refuses what is no number, and keeps its sum', async () => {
    const registry = new Registry();
    const own = createHistogram({ ...TOLD, buckets: BUCKETS, registers: [registry] });
    own.observe({ kind: 'a', status: 200 }, 2);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => own.observe({ kind: 'a', status: 200 }, value), TypeError);
    assert.match(await registry.metrics(), /^told_sum\{kind="a",status="200"\} 2$/m);
  });
});

describe('a counter that is told at the scrape', () => {
  it('is told as prom-client tells its own, scrape after scrape, also before it counts', async () => {
    const [theirs, ours] = [new Registry(), new Registry()];
    const library = new Counter({ ...TOLD, registers: [theirs] });
    const own = createCounter({ ...TOLD, registers: [ours] });
    for (const count of [library, own]) count.inc({ kind: 'first', status: 0 }, 0);
    assert.equal(await ours.metrics(), await theirs.metrics());
    for (const [index, { kind, status }] of CASES.entries()) {
      for (const count of [library, own]) count.inc({ kind, status }, index);
      if (index % 4 === 0) assert.equal(await ours.metrics(), await theirs.metrics());
    }
    assert.equal(await ours.metrics(), await theirs.metrics());
  });

  it('counts one unless told how many, and keeps its series apart from what its caller does with the labels', async () => {
    const registry = new Registry();
    const own = createCounter({ ...TOLD, registers: [registry] });
    const labels = { kind: 'a', status: 200 };
    own.inc(labels);
    labels.kind = 'b';
    own.inc(labels);
    const text = await registry.metrics();
    assert.match(text, /^told\{kind="a",status="200"\} 1$/m);
    assert.match(text, /^told\{kind="b",status="200"\} 1$/m);
  });
});
