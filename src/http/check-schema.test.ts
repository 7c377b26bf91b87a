import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { createBodyCheck } from './check-schema.ts';
import { textOfForm } from './text-of-form.ts';
import { wordsOnce } from './words-once.ts';

const faultsOf = (schema: TSchema, body: unknown) =>
  createBodyCheck(schema)(body).map(({ pointer, detail }) => `${pointer} ${detail}`);

describe('a member that may be of several kinds', () => {
  const words = wordsOnce(['red', 'blue', 'plum']);
  const schema = Type.Object({
    words: Type.Union([words, Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()]),
  });

  it('has one fault for each cause', () => {
    const good = { words: ['red'], name: null };
    assert.deepEqual(faultsOf(schema, good), []);
    const notKnown = 'The value must be one of red, blue, plum.';
    for (const [value, faults] of [
      [['green'], [`#/words/0 ${notKnown}`]],
      [
        ['green', 'red', 7],
        [`#/words/0 ${notKnown}`, `#/words/2 ${notKnown}`],
      ],
      [[], ['#/words The value must not have fewer than 1 items.']],
      [['red', 'red'], ['#/words The value must not have duplicate items.']],
      [
        ['red', 'red', 'green'],
        [`#/words/2 ${notKnown}`, '#/words The value must not have duplicate items.'],
      ],
      [new Array(4).fill('red'), ['#/words The value must not have more than 3 items.']],
      [new Array(9).fill('green'), ['#/words The value must not have more than 3 items.']],
      [5, ['#/words The value must be an array or null.']],
    ] as const)
      assert.deepEqual(faultsOf(schema, { ...good, words: value }), faults);
    assert.deepEqual(faultsOf(schema, { words: 'red', name: 1 }), [
      '#/words The value must be an array or null.',
      '#/name The value must be a string or null.',
    ]);
  });

  it('has them apart for each member of an object that names many', () => {
    const headers = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]));
    assert.deepEqual(faultsOf(headers, { a: 5, b: ['x', 6], c: ['x'], ab: null }), [
      '#/a The value must be a string or an array.',
      '#/b/1 The value must be a string.',
      '#/ab The value must be a string or an array.',
    ]);
  });
});

it('what a condition demands is told at its own place, and the condition is not', () => {
  const digits = textOfForm(
    { description: 'Digits.' },
    (text) => /^[0-9]+$/.test(text),
    () => 'These must be digits.',
  );
  const isFree = { properties: { free: { const: true } }, required: ['free'] };
  const members = { name: Type.String(), free: Type.Optional(Type.Boolean()) };
  const schema = Type.Object(members, { if: isFree, else: { properties: { name: digits } } });
  assert.deepEqual(faultsOf(schema, { name: 'x' }), ['#/name These must be digits.']);
  assert.deepEqual(faultsOf(schema, { name: '1', free: false }), []);
  assert.deepEqual(faultsOf(schema, { name: 'x', free: true }), []);
});

it('a fault of a type or a bound is told in words', () => {
  const bound = Type.Integer({ minimum: 1, maximum: 9 });
  const schema = Type.Object({ low: bound, high: bound, none: bound, flag: Type.Boolean(), thing: Type.Object({}) });
  assert.deepEqual(faultsOf(schema, { low: 0, high: 10, none: 'x', flag: 1, thing: [] }), [
    '#/low The value must be at least 1.',
    '#/high The value must be at most 9.',
    '#/none The value must be a whole number.',
    '#/flag The value must be true or false.',
    '#/thing The value must be an object.',
  ]);
});

it('a text that is no time is told with one that would be', () => {
  const schema = Type.Object({ at: Type.String({ format: 'date-time' }) });
  const fault = '#/at The value must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.';
  for (const at of ['2026-01-31', '2026-02-30T12:00:00Z', '']) assert.deepEqual(faultsOf(schema, { at }), [fault], at);
});

it('all faults of a body are told, however many a person can mend', () => {
  const schema = Type.Object({ words: Type.Array(Type.Enum(['red'])) });
  const wrong = (count: number) => faultsOf(schema, { words: new Array(count).fill('green') }).length;
  assert.deepEqual([wrong(9), wrong(100), wrong(100_000)], [9, 100, 300]);
});

it('a body is refused however many of its members are not known, and each is told by its name', () => {
  const schema = Type.Object({ word: Type.String() }, { additionalProperties: false });
  const beside = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`m${place}`, 0]));
  const told = (count: number) => faultsOf(schema, { word: 5, ...beside(count) }).length;
  assert.deepEqual([told(1), told(200), told(300), told(100_000)], [2, 201, 300, 300]);
  assert.deepEqual(faultsOf(schema, { word: 'a', 'x/y~z %': 0, '': 0 }), [
    '#/x~1y~0z%20%25 This member is not known. Known here: word.',
    '#/ This member is not known. Known here: word.',
  ]);
});

it('a name that is not known is told with those that are known in its place', () => {
  const inner = Type.Object({ count: Type.Integer() }, { additionalProperties: false });
  const schema = Type.Object(
    { phone_number: Type.String(), inner: Type.Optional(Type.Union([inner, Type.Null()])) },
    { additionalProperties: false },
  );
  assert.deepEqual(faultsOf(schema, { phoneNumber: 'x', inner: { count: 1, counts: 1 } }), [
    '#/phone_number This member is missing.',
    '#/phoneNumber This member is not known. Known here: phone_number, inner.',
    '#/inner/counts This member is not known. Known here: count.',
  ]);
  const nothing = Type.Object({}, { additionalProperties: false });
  assert.deepEqual(faultsOf(nothing, { a: 1 }), ['#/a This member is not known. None is taken here.']);
});

it('a name that is no text is a fault like any other', () => {
  const schema = Type.Object({ words: Type.Record(Type.String(), Type.String()) }, { additionalProperties: false });
  assert.deepEqual(
    createBodyCheck(schema)({ words: { '\ud800': 5 }, '\udc00': 0 }).map(({ pointer }) => pointer),
    ['#', '#/words', '#/%EF%BF%BD', '#/words/%EF%BF%BD'],
  );
});
