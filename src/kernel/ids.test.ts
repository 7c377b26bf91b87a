import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromUUID } from 'typeid-js';
import { firstIdOfMs, formatId, idTimeMs, newId, parseId, UUID } from './ids.ts';

/** The valid examples of the TypeID specification: https://github.com/jetify-com/typeid/blob/main/spec/valid.yml */
const VECTORS = [
  ['00000000000000000000000000', '00000000-0000-0000-0000-000000000000'],
  ['00000000000000000000000001', '00000000-0000-0000-0000-000000000001'],
  ['0000000000000000000000000a', '00000000-0000-0000-0000-00000000000a'],
  ['0000000000000000000000000g', '00000000-0000-0000-0000-000000000010'],
  ['00000000000000000000000010', '00000000-0000-0000-0000-000000000020'],
  ['7zzzzzzzzzzzzzzzzzzzzzzzzz', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['0123456789abcdefghjkmnpqrs', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
  ['01h455vb4pex5vsknk084sn02q', '01890a5d-ac96-774b-bcce-b302099a8057'],
] as const;

describe('ids', () => {
  it('are written and read as the TypeID specification says', () => {
    for (const [suffix, uuid] of VECTORS) assert.equal(parseId('msg', `msg_${suffix}`), uuid);
    assert.equal(formatId('msg', '01890a5d-ac96-774b-bcce-b302099a8057'), 'msg_01h455vb4pex5vsknk084sn02q');
  });

  it('are written as the library of the specification writes them', () => {
    for (const [suffix, uuid] of VECTORS) assert.equal(formatId('msg', uuid), `msg_${suffix}`);
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        assert.equal(formatId('evt', uuid), fromUUID(uuid, 'evt'));
      }),
    );
  });

  it('come back from their written form as they were', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        assert.equal(parseId('req', formatId('req', uuid)), uuid);
      }),
    );
  });

  it('that are not well formed are no ids', () => {
    const suffix = '01h455vb4pex5vsknk084sn02q';
    const malformed = [
      '',
      'msg',
      'msg_',
      suffix,
      `_${suffix}`,
      `req_${suffix}`,
      `MSG_${suffix}`,
      `msg-${suffix}`,
      `msg_${suffix.toUpperCase()}`,
      `msg_${suffix} `,
      `msg_${suffix}\n`,
      `msg_${suffix}0`,
      `msg_${suffix.slice(1)}`,
      'msg_8zzzzzzzzzzzzzzzzzzzzzzzzz',
      'msg_01h455vb4pex5vsknk084sn02i',
      'msg_01h455vb4pex5vsknk084sn02l',
      'msg_01h455vb4pex5vsknk084sn02o',
      'msg_01h455vb4pex5vsknk084sn02u',
      'msg_01890a5d-ac96-774b-bcce-b302099a8057',
    ];
    for (const text of malformed) assert.equal(parseId('msg', text), undefined, JSON.stringify(text));
  });

  it('sort in the order of their making', () => {
    const made = Array.from({ length: 5_000 }, newId);
    assert.deepEqual(made.toSorted(), made);
    assert.equal(new Set(made).size, made.length);
    // Their last 12 digits are random: of two that are made in one moment nobody guesses the second from the first.
    assert.equal(new Set(made.map((id) => id.slice(-12))).size, made.length);
  });

  it('keep their order when the clock steps back a little, and tell the right time again after a wrong one', (t) => {
    const real = Date.now;
    let aheadMs = 0;
    t.mock.method(Date, 'now', () => real() + aheadMs);
    const first = newId();
    aheadMs = -50_000;
    assert.ok(newId() > first);
    aheadMs = 26 * 3_600_000;
    assert.ok(idTimeMs(newId()) > real() + 25 * 3_600_000);
    aheadMs = 0;
    assert.ok(idTimeMs(newId()) <= real());
  });

  it('tell when they were made', () => {
    const beforeMs = Date.now();
    const timeMs = idTimeMs(newId());
    assert.ok(timeMs >= beforeMs && timeMs <= Date.now());
  });

  it('of a time all lie at or after the first one of its millisecond', () => {
    const id = newId();
    assert.ok(firstIdOfMs(idTimeMs(id)) <= id);
    assert.ok(firstIdOfMs(idTimeMs(id) + 1) > id);
    assert.equal(firstIdOfMs(-5), firstIdOfMs(0));
  });

  it('of accounts are UUIDs in lower case only', () => {
    assert.ok(UUID.test(newId()));
    for (const text of ['', newId().toUpperCase(), `${newId()} `, newId().replaceAll('-', '')])
      assert.ok(!UUID.test(text), text);
  });
});
