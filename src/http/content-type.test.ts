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
