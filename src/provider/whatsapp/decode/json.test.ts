import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAsSent, parseJson } from './json.ts';

describe('parsing JSON without losing a digit', () => {
  it('keeps every integer: as a number while that is exact, else as a string of its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.string(), (id, text) => {
        const exact = id >= Number.MIN_SAFE_INTEGER && id <= Number.MAX_SAFE_INTEGER;
        const value = exact ? Number(id) : String(id);
        const body = `{"id":${id},"list":[${id} , ${id}],${JSON.stringify(text)}:${JSON.stringify(text)}}`;
        assert.deepEqual(parseJson(body), { kind: 'json', value: { id: value, list: [value, value], [text]: text } });
      }),
    );
  });

  it('changes no text that looks like a number, and no number that is not an integer', () => {
    const value = {
      '12345678901234567890': ':12345678901234567890,',
      quoted: '\\":12345678901234567890',
      fraction: 0.1234567890123456,
      power: 1.5e-10,
    };
    const body = `{"id":12345678901234567890,${JSON.stringify(value).slice(1)}`;
    assert.deepEqual(parseJson(body), { kind: 'json', value: { id: '12345678901234567890', ...value } });
  });

  it('keeps a number that the database would write out in hundreds of digits as a string of what was written, and never as null', () => {
    const far = ['1e400', '-1E+0400', '1.5e309', `${'9'.repeat(400)}`, `1${'0'.repeat(20)}.5e299`, '1e21', '-1.5E-22'];
    const body = `{"list":[${far.join(' , ')}],"text":"1e400, 1e400","none":1e-400,"near":[1e20,-1e-20,5.6e-17]}`;
    const value = { list: far, text: '1e400, 1e400', none: 0, near: [1e20, -1e-20, 5.6e-17] };
    assert.deepEqual(parseJson(body), { kind: 'json', value });
  });

  it('takes nothing for JSON that is not, long integers or none', () => {
    for (const body of ['{12345678901234567890:1}', '[012345678901234567890]', '[1234567890123456789', '']) {
      assert.deepEqual(parseJson(body), { kind: 'not_json' });
    }
  });
});

describe('parsing JSON that is passed on as it was sent', () => {
  const asSent = (json: string) => {
    const parsed = parseAsSent(json);
    return parsed.kind === 'json' ? JSON.stringify(parsed.value) : parsed.kind;
  };

  it('writes every whole number again as a number with the digits that it had', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.string(), (number, text) => {
        const json = `{"id":${number},"list":[${number},{"in":${number}}],"text":${JSON.stringify(text)}}`;
        assert.equal(asSent(json), json);
      }),
    );
  });

  it('gives all else as it is parsed anyway', () => {
    for (const json of ['{"list":[1e400,-1E+0400,1e308,0.1234567890123456]}', `[${'9'.repeat(400)}]`, '[1', '{"a":1}'])
      assert.deepEqual(parseAsSent(json), parseJson(json));
    for (const json of ['{12345678901234567890:1}', '[012345678901234567890]', '[1234567890123456789', ''])
      assert.equal(asSent(json), 'not_json');
  });

  it('loses no digit at any depth', () => {
    const parsed = parseAsSent(`[12345678901234567890,${'['.repeat(400_000)}${']'.repeat(400_000)}]`);
    assert.ok(parsed.kind === 'json' && Array.isArray(parsed.value));
    assert.equal(parsed.value[0], '12345678901234567890');
  });
});
