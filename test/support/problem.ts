import assert from 'node:assert/strict';
import { API_ERRORS, type ApiErrorCode } from '../../src/kernel/errors.ts';
import type { TestAnswer } from './call-api.ts';

const RETRY_AFTER: readonly string[] = ['idempotency_in_flight', 'rate_limited', 'unavailable'];
const MEMBERS = ['code', 'detail', 'request_id', 'status', 'title', 'type'];

/** Asserts that the answer is this error, with all that every error answer has. Returns its `errors`. */
export function assertProblem(
  { status, headers, json, text }: Pick<TestAnswer, 'status' | 'headers' | 'json' | 'text'>,
  code: ApiErrorCode,
): { pointer?: string; parameter?: string; detail: string }[] {
  assert.equal(json?.code, code, text.slice(0, 500));
  assert.equal(status, API_ERRORS[code].status);
  assert.equal(json.status, status);
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.match(headers.get('x-request-id') ?? '', /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  assert.equal(json.request_id, headers.get('x-request-id'));
  assert.match(json.type, new RegExp(`^http.*/docs/errors/${code}$`));
  assert.equal(json.title, API_ERRORS[code].title);
  assert.ok(typeof json.detail === 'string' && json.detail !== '');
  const { errors, ...rest } = json;
  assert.deepEqual(Object.keys(rest).toSorted(), MEMBERS);
  assert.equal(headers.has('retry-after'), RETRY_AFTER.includes(code), 'Retry-After');
  if (headers.has('retry-after')) assert.match(headers.get('retry-after') ?? '', /^[1-9][0-9]*$/);
  assert.equal(headers.get('www-authenticate'), code === 'invalid_api_key' ? 'Bearer' : null);
  assert.equal(headers.has('allow'), code === 'method_not_allowed', 'Allow');
  assert.equal(Array.isArray(errors), code === 'invalid_request');
  return errors ?? [];
}

/** The pointers of an `invalid_request`, sorted. */
export function pointersOf(answer: TestAnswer): (string | undefined)[] {
  return assertProblem(answer, 'invalid_request')
    .map(({ pointer }) => pointer)
    .toSorted();
}
