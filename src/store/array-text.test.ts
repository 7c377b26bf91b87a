import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';

let test: TestDatabase;
before(async () => {
  test = await createTestDatabase({ migrated: false });
});
after(() => test.drop());

async function readBack(type: string, items: readonly unknown[]): Promise<unknown[]> {
  const [row] = await test.database.query<{ items: unknown[] }>(`select $1::${type}[] as items`, [items]);
  return row?.items ?? [];
}

/** As the database understands them, whatever the driver makes of far years. */
async function readTimes(items: readonly unknown[]): Promise<unknown[]> {
  const iso = `to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const rows = await test.database.query<{ iso: string | null }>(
    `select ${iso} as iso from unnest($1::timestamptz[]) with ordinality as u(t, n) order by n`,
    [items],
  );
  return rows.map((row) => row.iso);
}

const isoOf = (time: Date | null) => time?.toISOString() ?? null;

describe('an array that is given to a statement', () => {
  it('reaches the database as it is, whatever its texts hold', async () => {
    // What the notation of arrays uses for itself, beside all else that a text can be.
    const notation = fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', '\n', 'N', 'NULL', 'x') });
    // No text in PostgreSQL holds U+0000.
    const any = fc.string({ unit: anyCharacter }).filter((text) => !text.includes('\0'));
    const texts = fc.array(fc.option(fc.oneof(notation, any)));
    await fc.assert(
      fc.asyncProperty(texts, async (items) => assert.deepEqual(await readBack('text', items), items)),
      { numRuns: 60 },
    );
  });

  it('holds numbers, booleans, times, bytes and JSON as well', async () => {
    const times = [new Date(0), new Date('2026-11-23T01:02:03.004Z'), null, new Date('9999-12-31T23:59:59.999Z')];
    const bytes = [Buffer.from([0, 34, 92, 255]), Buffer.alloc(0), null];
    assert.deepEqual(await readBack('integer', [1, -2, null]), [1, -2, null]);
    assert.deepEqual(await readBack('boolean', [true, undefined, false]), [true, null, false]);
    assert.deepEqual(await readBack('timestamptz', times), times);
    assert.deepEqual(await readBack('bytea', bytes), bytes);
    assert.deepEqual(await readBack('jsonb', [JSON.stringify({ a: ['"\\'] })]), [{ a: ['"\\'] }]);
    assert.deepEqual(await readBack('text', []), []);
  });

  it('holds ids and times of all ages and any number of them, whether they go in bytes or as texts', async () => {
    const ids = fc.array(fc.option(fc.uuid()));
    const range = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    };
    const times = fc.array(fc.option(fc.date(range)));
    await fc.assert(
      fc.asyncProperty(ids, times, async (someIds, someTimes) => {
        assert.deepEqual(await readBack('uuid', someIds), someIds);
        assert.deepEqual(await readTimes(someTimes), someTimes.map(isoOf));
      }),
      { numRuns: 60 },
    );
    const upper = ['0198C0DE-0000-7000-8000-00000000ABCD', '0198c0de-0000-7000-8000-00000000abcd'];
    assert.deepEqual(await readBack('uuid', upper), [upper[1], upper[1]]);
    // biome-ignore lint/suspicious/noSparseArray: a hole is null too.
    assert.deepEqual(await readBack('uuid', [upper[1], , upper[1]]), [upper[1], null, upper[1]]);
    assert.deepEqual(await readTimes(['2026-01-01T00:00:00Z', new Date(0)]), [
      '2026-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
    ]);
  });

  it('holds bytes and JSON of any size and content, whether they go in bytes or as texts', async () => {
    const bytes = fc.array(fc.option(fc.uint8Array().map((some) => Buffer.from(some))));
    // No JSON in PostgreSQL holds U+0000.
    const json = fc.array(fc.option(fc.json().filter((text) => !text.includes('\\u0000'))));
    await fc.assert(
      fc.asyncProperty(bytes, json, async (someBytes, someJson) => {
        assert.deepEqual(await readBack('bytea', someBytes), someBytes);
        const expected = await readBack('text', someJson);
        const same = 'select $1::jsonb[] is not distinct from $2::text[]::jsonb[] as same';
        assert.deepEqual(await test.database.query(same, [someJson, expected]), [{ same: true }]);
      }),
      { numRuns: 60 },
    );
    assert.deepEqual(await readBack('jsonb', ['{"a": "\u00e4\ud83d\ude00"}', 'null', '{"a": 1}', '{"a": 1}']), [
      { a: '\u00e4\ud83d\ude00' },
      null,
      { a: 1 },
      { a: 1 },
    ]);
    assert.deepEqual(await readBack('bytea', ['\\x00ff']), [Buffer.from([0, 255])]);
    await assert.rejects(readBack('jsonb', ['{']), { code: '22P02' });
  });

  it('is refused by the database with what is no id', async () => {
    for (const wrong of [
      '',
      'x',
      '0198c0de-0000-7000-8000-00000000abcg',
      '0198c0de00000-7000-8000-00000000abc',
      `0198c0de-0000-7000-8000-0000000000\u0161\u0130`,
    ])
      await assert.rejects(readBack('uuid', ['0198c0de-0000-7000-8000-00000000abcd', wrong]), { code: '22P02' });
  });

  it('is refused with anything else in it, before it reaches the database', async () => {
    for (const item of [['nested'], { an: 'object' }, 1n, Symbol('none')])
      await assert.rejects(readBack('text', [item]), TypeError);
    await assert.rejects(readBack('timestamptz', [new Date(8.64e15)]), RangeError);
  });
});
