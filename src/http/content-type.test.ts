import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../kernel/errors.ts';
import { checkContentType } from './content-type.ts';

const check = (type: string) => () => {
  const headers = { 'content-type': type, 'content-length': '2' };
  checkContentType({ headers, rawHeaders: Object.entries(headers).flat() }, false);
};

test('a type whose character sets contradict each other is refused, whichever comes first', () => {
  for (const sets of ['charset=utf-8; charset=latin1', 'charset=latin1; charset=utf-8']) {
    assert.throws(
      check(`application/json; ${sets}`),
      (error) => error instanceof ApiError && error.code === 'unsupported_media_type',
    );
  }
});

test('UTF-8 may be named in any case, in quotes and twice, and other parameters are not looked at', () => {
  for (const parameters of ['Charset="UTF-8"', 'charset=utf8', 'charset=utf-8; charset=UTF-8', 'x=y', ''])
    assert.doesNotThrow(check(`Application/JSON; ${parameters}`));
});

test('a call without a body needs no type where it may be empty, and only there and then', () => {
  const check = (headers: Record<string, string>, emptyAllowed: boolean) => () =>
    checkContentType({ headers, rawHeaders: Object.entries(headers).flat() }, emptyAllowed);
  for (const empty of [{}, { 'content-length': '0' }]) {
    assert.doesNotThrow(check(empty, true));
    assert.throws(check(empty, false), ApiError);
    assert.throws(check({ ...empty, 'content-type': 'text/plain' }, true), ApiError);
  }
  for (const filled of [{ 'content-length': '2' }, { 'transfer-encoding': 'chunked' }])
    assert.throws(check(filled, true), ApiError);
});
