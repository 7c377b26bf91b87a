import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { MESSAGE_ERRORS, type MessageErrorCode } from '../../kernel/message-errors.ts';
import { readErrors } from './decode/errors.ts';
import { messageErrorOf, PROVIDER_CODES, readFailure } from './failures.ts';

/** The published table, written out a second time so that a slip in the code shows. */
const PROMISED: Record<string, MessageErrorCode> = {
  131021: 'invalid_recipient',
  100: 'message_invalid',
  131008: 'message_invalid',
  131009: 'message_invalid',
  131051: 'message_invalid',
  131053: 'message_invalid',
  135000: 'message_invalid',
  131047: 'window_closed',
  132001: 'template_not_found',
  132000: 'template_parameters_invalid',
  132008: 'template_parameters_invalid',
  132012: 'template_parameters_invalid',
  132018: 'template_parameters_invalid',
  132005: 'template_text_too_long',
  132007: 'template_policy_violation',
  132015: 'template_paused',
  132069: 'template_paused',
  132016: 'template_disabled',
  132068: 'template_disabled',
  131026: 'recipient_unreachable',
  131050: 'recipient_opted_out',
  130403: 'recipient_blocked',
  131030: 'recipient_not_allowed',
  131062: 'recipient_identity_unsupported',
  130472: 'experiment_holdout',
  131049: 'marketing_limited',
  131063: 'marketing_disabled',
  131056: 'pair_rate_limited',
  130429: 'throughput_limited',
  4: 'throughput_limited',
  17: 'throughput_limited',
  32: 'throughput_limited',
  613: 'throughput_limited',
  80007: 'throughput_limited',
  80008: 'throughput_limited',
  131048: 'sender_spam_limited',
  131064: 'sender_category_limited',
  0: 'sender_unauthorized',
  3: 'sender_unauthorized',
  10: 'sender_unauthorized',
  104: 'sender_unauthorized',
  190: 'sender_unauthorized',
  200: 'sender_unauthorized',
  210: 'sender_unauthorized',
  299: 'sender_unauthorized',
  131005: 'sender_unauthorized',
  368: 'sender_suspended',
  131031: 'sender_suspended',
  131037: 'sender_suspended',
  33: 'sender_unregistered',
  131045: 'sender_unregistered',
  133010: 'sender_unregistered',
  131042: 'sender_billing',
  130497: 'country_restricted',
  2: 'provider_unavailable',
  131016: 'provider_unavailable',
  131057: 'provider_unavailable',
  133004: 'provider_unavailable',
  2494100: 'provider_unavailable',
  1: 'provider_error',
  131000: 'provider_error',
  199: 'provider_rejected',
  300: 'provider_rejected',
  130470: 'provider_rejected',
  131052: 'provider_rejected',
};

const codeOf = (code: number, subcode?: number) => messageErrorOf(code, {}, subcode).code;

describe('messageErrorOf', () => {
  for (const [code, ours] of Object.entries(PROMISED)) {
    it(`calls the provider's ${code} ${ours}`, () => assert.equal(codeOf(Number(code)), ours));
  }

  it('knows no code that is not promised', () => {
    const known = PROVIDER_CODES.flatMap(([, codes]) => codes);
    assert.deepEqual(
      known.filter((code) => !(code in PROMISED)),
      [],
    );
  });

  it('tells a number that is gone (100 with subcode 33) from a wrong parameter', () => {
    assert.equal(codeOf(100, 33), 'sender_unregistered');
    assert.equal(codeOf(100, 2494010), 'message_invalid');
    assert.equal(codeOf(131009, 33), 'message_invalid');
  });
});

describe('readFailure', () => {
  it('is decided by a numeric code, whatever the HTTP status', () => {
    for (const status of [200, 302, 400, 401, 408, 429, 500, 503]) {
      const outcome = readFailure(status, { error: { code: 131047, message: '(#131047) Re-engagement message' } });
      assert.equal(outcome.kind, 'refused', String(status));
      assert.equal(outcome.error.code, 'window_closed');
    }
  });

  it('lets exactly what passes by itself be transmitted again', () => {
    for (const [code, ours] of Object.entries(PROMISED)) {
      const outcome = readFailure(400, { error: { code: Number(code) } });
      const passes = ['pair_rate_limited', 'throughput_limited', 'provider_unavailable'].includes(ours);
      assert.equal(outcome.kind, passes ? 'throttled' : 'refused', code);
      assert.equal(MESSAGE_ERRORS[outcome.error.code].retryable, passes, code);
    }
  });

  it('says that the access was refused for 0 and 190 only', () => {
    const refusing = Object.keys(PROMISED).filter((code) => {
      const outcome = readFailure(401, { error: { code: Number(code) } });
      return outcome.kind === 'refused' && outcome.accessRefused;
    });
    assert.deepEqual(refusing, ['0', '190']);
    // Without a code it may be a proxy that has answered, and the channel must not be suspended for that.
    for (const status of [400, 401, 403])
      assert.deepEqual(readFailure(status, undefined), {
        kind: 'refused',
        error: { code: 'provider_rejected' },
        accessRefused: false,
      });
  });

  it('tells in words of our own that the recipient is the sender, in a notification too', () => {
    const detail = 'The recipient is the number that sends';
    const error = { code: 131021, title: 'Recipient cannot be sender' };
    assert.equal(readFailure(400, { error }).error.detail, detail);
    assert.equal(readErrors({ errors: [error] })[0]?.detail, detail);
  });

  it('reads the subcode of code 100, in an answer and in a notification', () => {
    const outcome = readFailure(400, { error: { code: 100, error_subcode: 33 } });
    assert.equal(outcome.error.code, 'sender_unregistered');
    assert.deepEqual(
      readErrors({
        errors: [
          { code: 100, error_subcode: 33 },
          { code: 100, error_subcode: 34 },
        ],
      }),
      [
        { code: 'sender_unregistered', provider: { code: 100 } },
        { code: 'message_invalid', provider: { code: 100 } },
      ],
    );
  });

  it('reads a failure in a notification also as one object, with its code in digits', () => {
    const provider = { code: 131026, title: 'Undeliverable' };
    const unreachable = [{ code: 'recipient_unreachable', provider }];
    assert.deepEqual(readErrors({ errors: provider }), unreachable);
    assert.deepEqual(readErrors({ errors: [{ ...provider, code: '131026' }] }), unreachable);
    const unregistered = [{ code: 'sender_unregistered', provider: { code: 100 } }];
    assert.deepEqual(readErrors({ errors: { code: '100', error_subcode: '33' } }), unregistered);
    for (const code of ['', 'x', '131026.5', '1e5', null, {}])
      assert.deepEqual(readErrors({ errors: [{ code }] }), [{ code: 'provider_rejected' }]);
    for (const errors of [null, 'none', 0, false, []]) assert.deepEqual(readErrors({ errors }), []);
  });

  it('goes by the HTTP status where there is no numeric code', () => {
    const bodies = [undefined, null, '<html>', [], {}, { error: 'no' }, { error: { code: '131047' } }, { error: null }];
    for (const body of bodies) {
      assert.deepEqual(seen(429, body), ['throttled', 'throughput_limited']);
      for (const status of [400, 401, 404, 422, 499]) {
        assert.deepEqual(seen(status, body), ['refused', 'provider_rejected']);
      }
      for (const status of [200, 204, 302, 307, 408, 500, 502, 503, 504, 599]) {
        assert.deepEqual(seen(status, body), ['unknown', 'outcome_unknown']);
      }
    }
  });

  it('passes the seconds of Retry-After on, at most an hour, and only to what may be repeated', () => {
    const wait = (code: number, retryAfter?: string) =>
      readFailure(400, { error: { code } }, retryAfter).error.retry_after_seconds;
    assert.equal(wait(130429, '7'), 7);
    assert.equal(wait(130429, '99999999'), 3600);
    for (const unreadable of [undefined, '', '-1', '1.5', 'Wed, 21 Oct 2026 07:28:00 GMT', '1'.repeat(400)]) {
      assert.equal(wait(130429, unreadable), undefined);
    }
    assert.equal(wait(131047, '7'), undefined);
    assert.equal(readFailure(429, undefined, '7').error.retry_after_seconds, 7);
    assert.equal(readFailure(503, undefined, '7').error.retry_after_seconds, undefined);
  });

  it("tells the provider's own words", () => {
    const outcome = readFailure(400, {
      error: {
        message: '(#130429) Rate limit hit',
        type: 'OAuthException',
        code: 130429,
        error_data: { messaging_product: 'whatsapp', details: 'Cloud API message throughput has been reached.' },
        error_subcode: 2494055,
        fbtrace_id: 'Az8or2yhqkZfEZ-_4Qn_Bam',
      },
    });
    assert.deepEqual(outcome.error.provider, {
      code: 130429,
      title: '(#130429) Rate limit hit',
      details: 'Cloud API message throughput has been reached.',
      trace_id: 'Az8or2yhqkZfEZ-_4Qn_Bam',
    });
    for (const status of [400, 429, 500])
      assert.deepEqual(readFailure(status, { error: { message: 'No code here' } }).error.provider, {
        title: 'No code here',
      });
  });

  it('never throws and always gives an outcome that can be stored, whatever the answer', () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.record({ error: fc.jsonValue() }),
      fc.record({
        error: fc.record(
          {
            code: fc.jsonValue(),
            message: fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()),
            error_data: fc.jsonValue(),
            error_subcode: fc.jsonValue(),
            fbtrace_id: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), anything, (status, body) => {
        const stored = JSON.stringify(readFailure(status, body));
        assert.ok(!stored.includes('\\u0000'), stored);
        assert.ok(stored.isWellFormed());
      }),
    );
  });
});

function seen(status: number, body: unknown): [string, MessageErrorCode] {
  const outcome = readFailure(status, body);
  return [outcome.kind, outcome.error.code];
}
