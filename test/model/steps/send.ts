import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertProblem } from '../../support/problem.ts';
import { type ModelMessage, record } from '../model.ts';
import { type Called, callAs } from '../real.ts';
import { aCaller, step } from '../step.ts';
import { CONTENTS } from './contents.ts';

const GOOD = ['+447700900101', '+447700900102', '+447700900103'];
/** What the sandbox does with a number, or the gateway with a text that is none. */
const OUTCOMES: Record<string, { status: string; code?: string }> = {
  ...Object.fromEntries(GOOD.map((number) => [number, { status: 'accepted' }])),
  '+15550131026': { status: 'failed', code: 'recipient_unreachable' },
  '+15550131031': { status: 'failed', code: 'sender_suspended' },
  '+15552000001': { status: 'unknown', code: 'outcome_unknown' },
};
/** The errors that are known before anything is transmitted. */
const TOLD_AHEAD = new Set([
  ...['invalid_recipient', 'duplicate_recipient', 'recipient_opted_out'],
  ...Object.values(CONTENTS).flatMap(({ code }) => code ?? []),
]);
const NO_CHANNEL = 'chn_00000000000000000000000000';
const FAULTS = ['no recipient', 'too many', 'unknown member', 'unknown channel'] as const;

const aSend = fc.record({
  caller: aCaller,
  to: fc.array(fc.constantFrom('nonsense', ...Object.keys(OUTCOMES)), { minLength: 1, maxLength: 4 }),
  content: fc.oneof(fc.constant('text'), fc.constant('marketing'), fc.constantFrom(...Object.keys(CONTENTS))),
  reference: fc.constantFrom('order-1', 'order-2', undefined),
  idempotencyKey: fc.constantFrom('a', 'b', undefined, undefined),
  fault: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom(...FAULTS)),
});
type Send = typeof aSend extends fc.Arbitrary<infer Given> ? Given : never;

export const send = step('send', aSend, async (model, real, given) => {
  const body = bodyOf(given);
  const headers = given.idempotencyKey === undefined ? {} : { 'idempotency-key': given.idempotencyKey };
  const call = { method: 'POST', path: '/api/v1/messages/send', scope: 'messages:send', body, headers } as const;
  const called = await callAs(model, real, given.caller, call);
  if (called === undefined) return;
  const { data, answer } = called;
  const known = data.answered.get(given.idempotencyKey ?? '');
  assert.equal(answer.headers.get('idempotent-replayed'), known?.body === body ? 'true' : null);
  if (known !== undefined) {
    if (known.body !== body) return void assertProblem(answer, 'idempotency_mismatch');
    assert.equal(answer.status, 200);
    return assert.equal(answer.text, known.answer);
  }
  if (refused(called, given)) return;
  const results = expectAggregate(called, given);
  if (given.idempotencyKey !== undefined) data.answered.set(given.idempotencyKey, { body, answer: answer.text });
  const made = results.flatMap((entry) => (entry.id === undefined ? [] : [messageOf(entry, given)]));
  const withoutMessage = results.length - made.length;
  data.requests.push({ id: answer.json.request_id, refused: withoutMessage, messageIds: made.map(({ id }) => id) });
  data.messages.push(...made);
  for (const { id, status } of made) if (status === 'unknown') record(data, { type: 'message.unknown', messageId: id });
});

export const validate = step('validate', aSend, async (model, real, given) => {
  const call = {
    method: 'POST',
    path: '/api/v1/messages/validate',
    scope: 'messages:send',
    body: bodyOf(given),
  } as const;
  const called = await callAs(model, real, given.caller, call);
  if (called === undefined || refused(called, given)) return;
  const { answer, data, account } = called;
  // What only the provider knows is not told.
  const invalid = expectedOf(called, given).map(({ code }) =>
    code !== undefined && TOLD_AHEAD.has(code) ? code : null,
  );
  const found = answer.json.results.map(
    (entry: { status: string; error?: { code: string } }) => entry.error?.code ?? null,
  );
  assert.deepEqual(found, invalid);
  assert.equal(answer.json.invalid_count, invalid.filter((code) => code !== null).length);
  assert.equal(answer.json.account_id, account.id);
  for (const entry of answer.json.results)
    if (entry.status === 'valid' && answer.json.type === 'text')
      assert.equal(entry.warnings === undefined, data.wroteLately.has(entry.to), answer.text);
});

function bodyOf({ to, content, reference, fault }: Send): string {
  return JSON.stringify({
    to: fault === 'no recipient' ? [] : fault === 'too many' ? Array(51).fill(to[0]) : to,
    type: CONTENTS[content]?.type,
    ...CONTENTS[content]?.members,
    ...(fault === 'unknown member' && { subject: 'Hello' }),
    ...(fault === 'unknown channel' && { from: NO_CHANNEL }),
    client_reference: reference,
  });
}

/** Whether nothing is sent. Asserts that the answer says why. */
function refused({ answer, account, key }: Called, { fault }: Send): boolean {
  if (fault === 'no recipient' || fault === 'unknown member') assertProblem(answer, 'invalid_request');
  else if (fault === 'too many') assertProblem(answer, 'too_many_recipients');
  else if (fault === 'unknown channel') assertProblem(answer, 'unknown_channel');
  else if (account.lines[key.mode] === undefined) assertProblem(answer, 'no_channel');
  else {
    assert.equal(answer.status, 200, answer.text);
    return false;
  }
  return true;
}

interface Expected {
  to: string;
  status: string;
  code?: string | undefined;
}

/** What becomes of each, in order: of those that are the same person, only the first is sent. */
function expectedOf({ data }: Called, { to, content }: Send): Expected[] {
  return to.map((text, place) => {
    const failed = (code: string) => ({ to: text, status: 'failed', code });
    if (text === 'nonsense') return failed('invalid_recipient');
    if (to.indexOf(text) < place) return failed('duplicate_recipient');
    const { code, isMarketing } = CONTENTS[content] ?? assert.fail();
    if (code !== undefined) return failed(code);
    if (isMarketing && data.stopped.has(text)) return failed('recipient_opted_out');
    return { to: text, status: 'accepted', ...OUTCOMES[text] };
  });
}

interface Entry {
  to: string;
  status: string;
  id?: string;
  message_id?: string;
  error?: { code: string };
}

function expectAggregate(called: Called, given: Send): Entry[] {
  const { answer, account } = called;
  const { content, reference } = given;
  const { results, ...rest } = answer.json;
  const expected = expectedOf(called, given);
  const shown = results.map((entry: Entry) => ({ to: entry.to, status: entry.status, code: entry.error?.code }));
  assert.deepEqual(
    shown,
    expected.map((entry) => ({ code: undefined, ...entry })),
  );
  const counted = (status: string) => expected.filter((entry) => entry.status === status).length;
  assert.deepEqual(rest, {
    ...{ request_id: rest.request_id, account_id: account.id, type: CONTENTS[content]?.type },
    ...(reference !== undefined && { client_reference: reference }),
    ...{ accepted_count: counted('accepted'), failed_count: counted('failed'), unknown_count: counted('unknown') },
  });
  return results;
}

function messageOf({ id = '', to, status, message_id: providerId, error }: Entry, { reference }: Send): ModelMessage {
  return {
    ...{ id, direction: 'outbound', person: to, clientReference: reference ?? null, status },
    ...{ providerId: providerId ?? null, refused: status === 'failed', reported: new Set() },
    ...{ timeline: [{ status, note: null }], transmits: error !== undefined && TOLD_AHEAD.has(error.code) ? 0 : 1 },
  };
}
