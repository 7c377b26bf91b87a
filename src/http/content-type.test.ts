import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../kernel/errors.ts';
import { checkContentType } from './content-type.ts';

const checkAll =
  (types: string[], headers: Record<string, string> = { 'content-length': '2' }) =>
  () =>
    checkContentType({ headers, rawHeaders: types.flatMap((type) => ['Content-Type', type]) }, false);
const check = (type: string) => checkAll([type]);
const isUnsupported = (error: unknown) => error instanceof ApiError && error.code === 'unsupported_media_type';

test('a type whose character sets contradict each other is refused, whichever comes first', () => {
  for (const sets of ['charset=utf-8; charset=latin1', 'charset=latin1; charset=utf-8']) {
    assert.throws(check(`application/json; ${sets}`), isUnsupported);
  }
});

test('UTF-8 may be named in any case, in quotes and twice, and other parameters are not looked at', () => {
  for (const parameters of ['Charset="UTF-8"', 'charset=utf8', 'charset=utf-8; charset=UTF-8', 'x=y', ''])
    assert.doesNotThrow(check(`Application/JSON; ${parameters}`));
});

test('two types are refused, whatever they are, and so is a transfer coding that is not taken off', () => {
  for (const other of ['text/plain', 'application/json; charset=utf-16', 'application/json'])
    assert.throws(checkAll(['application/json', other]), isUnsupported);
  for (const coding of ['gzip, chunked', 'chunked, gzip', 'gzip'])
    assert.throws(checkAll(['application/json'], { 'transfer-encoding': coding }), isUnsupported);
  assert.doesNotThrow(checkAll(['application/json'], { 'transfer-encoding': 'Chunked' }));
});
