import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonFaults } from './json-faults.ts';

describe('faults of JSON values', () => {
  it('are none in anything that can be stored', () => {
    const value = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 });
    fc.assert(
      fc.property(value, (given) => {
        fc.pre(!/\\u0000|\de[+-]\d/.test(JSON.stringify(given)));
        assert.deepEqual(jsonFaults(given), []);
      }),
    );
  });

  it('are U+0000 and lone surrogates in texts, wherever they stand, each with its pointer', () => {
    const value = { a: 'x\u0000', 'b/~ c': ['fine', { d: '\ud800' }], e: '\udc00\ud800', f: '\ud83d\ude00' };
    assert.deepEqual(
      jsonFaults(value)
        .map(({ pointer }) => pointer)
        .toSorted(),
      ['#/a', '#/b~1~0%20c/1/d', '#/e'],
    );
  });

  it("are the same in members' names, and name the object", () => {
    assert.deepEqual(
      jsonFaults({ a: { '\u0000': 1 }, '\udfff': 2 })
        .map(({ pointer }) => pointer)
        .toSorted(),
      ['#', '#/a'],
    );
  });

  it('are values nested too deeply, however deep, without exhausting the stack', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    assert.deepEqual(jsonFaults(nested(32)), []);
    const [fault, ...others] = jsonFaults(nested(500_000));
    assert.equal(fault?.pointer, `#${'/0'.repeat(32)}`);
    assert.deepEqual(others, []);
  });

  it('are numbers with many more places than digits', () => {
    const far = [1e21, -1e21, 1e308, Infinity, 9e-22, -5e-324];
    const near = [0, -0, 9.9e20, -1e-21, 5.684e-14, Number.MAX_SAFE_INTEGER];
    assert.deepEqual(jsonFaults(near), []);
    const details = jsonFaults(far).map(({ detail }) => detail);
    const [large, small] = ['This number is too large.', 'This number is too close to zero.'];
    assert.deepEqual(details, [large, large, large, large, small, small]);
  });

  it('are names that nobody gives anything, told once at the object and not looked into', () => {
    const wrong = ['\u0000'];
    assert.deepEqual(jsonFaults({ ['a'.repeat(512)]: 1 }), []);
    assert.deepEqual(jsonFaults({ in: { ['a'.repeat(513)]: wrong, ['b'.repeat(513)]: wrong, c: wrong } }), [
      { pointer: '#/in', detail: "A member's name has more than 512 characters." },
      { pointer: '#/in/c/0', detail: 'U+0000 and lone surrogates are not accepted.' },
    ]);
  });

  it('each have a pointer that ends before it is endless', () => {
    const name = '漢'.repeat(512);
    assert.deepEqual(
      jsonFaults({ [name]: { short: { [name]: { short: '\u0000' } } } }).map(({ pointer }) => pointer),
      [`#/${encodeURIComponent(name)}/short`],
    );
  });

  it('are bounded in number, and name an object once however many of its names are faulty', () => {
    assert.equal(jsonFaults(Array<string>(10_000).fill('\u0000')).length, 100);
    const texts = Object.fromEntries(Array.from({ length: 1_000 }, (_, place) => [place, '\u0000']));
    assert.equal(jsonFaults(texts).length, 100);
    const faulty = Object.fromEntries(Array.from({ length: 1_000 }, (_, place) => [`${place}\u0000`, place]));
    assert.equal(jsonFaults(faulty).length, 1);
    assert.equal(jsonFaults(Array<object>(200).fill(faulty)).length, 100);
  });
});
