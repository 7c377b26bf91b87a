import { isRecord } from '../../kernel/is-record.ts';
import {
  MESSAGE_ERRORS,
  type MessageError,
  type MessageErrorCode,
  type ProviderError,
} from '../../kernel/message-errors.ts';
import type { TransmitOutcome } from '../port.ts';
import { readProviderError } from './provider-error.ts';

/**
 * The provider's error codes in our words. The code decides, never the title (titles are announced to go away) and
 * never the HTTP status (rate limits come as 400). What is not listed is `provider_rejected`.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 */
export const PROVIDER_CODES: ReadonlyArray<readonly [MessageErrorCode, readonly number[]]> = [
  ['invalid_recipient', [131021]],
  ['message_invalid', [100, 131008, 131009, 131051, 131053, 135000]],
  ['window_closed', [131047]],
  ['template_not_found', [132001]],
  ['template_parameters_invalid', [132000, 132008, 132012, 132018]],
  ['template_text_too_long', [132005]],
  ['template_policy_violation', [132007]],
  ['template_paused', [132015, 132069]],
  ['template_disabled', [132016, 132068]],
  ['recipient_unreachable', [131026]],
  ['recipient_opted_out', [131050]],
  ['recipient_blocked', [130403]],
  ['recipient_not_allowed', [131030]],
  ['recipient_identity_unsupported', [131062]],
  ['experiment_holdout', [130472]],
  ['marketing_limited', [131049]],
  ['marketing_disabled', [131063]],
  ['pair_rate_limited', [131056]],
  ['throughput_limited', [130429, 4, 17, 32, 613, 80007, 80008]],
  ['sender_spam_limited', [131048]],
  ['sender_category_limited', [131064]],
  ['sender_unauthorized', [0, 3, 10, 104, 190, 131005]],
  ['sender_suspended', [368, 131031, 131037]],
  ['sender_unregistered', [33, 131045, 133010]],
  ['sender_billing', [131042]],
  ['country_restricted', [130497]],
  ['provider_unavailable', [2, 131016, 131057, 133004, 2494100]],
  ['provider_error', [1, 131000]],
];

/** The codes by which the provider refuses the access token itself, not only this use of it. */
const ACCESS_REFUSED: ReadonlySet<number> = new Set([0, 190]);

/** A longer wait than an hour outlives every deadline of ours, so it would only mislead who reads it. */
const RETRY_AFTER_SECONDS_MAX = 3_600;

/**
 * What an answer without a taken message means. A numeric `error.code` decides whatever the HTTP status; without one
 * the status does, and what is still open then is `unknown`. `body` is the parsed JSON, undefined if it is none;
 * `retryAfter` is the header as received. It is undocumented for this interface, so it is used only where it fits.
 */
export function readFailure(
  httpStatus: number,
  body: unknown,
  retryAfter?: string,
): Exclude<TransmitOutcome, { kind: 'accepted' }> {
  const raw = isRecord(body) ? body.error : undefined;
  const provider = readProviderError(raw);
  const told = provider === undefined ? {} : { provider };
  if (provider?.code !== undefined) {
    const error: MessageError = messageErrorOf(provider.code, provider, subcodeOf(raw));
    // It certainly took nothing, and what refused it passes by itself.
    if (MESSAGE_ERRORS[error.code].retryable)
      return { kind: 'throttled', error: { ...error, ...readRetryAfter(retryAfter) } };
    return { kind: 'refused', error, accessRefused: ACCESS_REFUSED.has(provider.code) };
  }
  if (httpStatus === 429) {
    return { kind: 'throttled', error: { code: 'throughput_limited', ...told, ...readRetryAfter(retryAfter) } };
  }
  // 408 tells that the provider gave up reading, not that it took nothing.
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408) {
    return { kind: 'refused', error: { code: 'provider_rejected', ...told }, accessRefused: false };
  }
  const detail = `The provider answered with HTTP ${httpStatus}, which does not tell whether it took the message`;
  return { kind: 'unknown', error: { code: 'outcome_unknown', detail, ...told } };
}

/** Our failure for one of the provider's codes, in the answer to a send as well as in the `errors` of a notification. */
export function messageErrorOf(code: number, provider: ProviderError, subcode?: number): MessageError {
  const detail = OWN_WORDS.get(code);
  return { code: messageErrorOfCode(code, subcode), ...(detail !== undefined && { detail }), provider };
}

/** Where the words of our table are about the other cases of the row. */
const OWN_WORDS: ReadonlyMap<number, string> = new Map([[131021, 'The recipient is the number that sends']]);

/** Our code for one of the provider's. */
function messageErrorOfCode(code: number, subcode?: number): MessageErrorCode {
  // Code 100 is a wrong parameter, but with subcode 33 the number itself is gone or not ours.
  if (code === 100 && subcode === 33) return 'sender_unregistered';
  if (code >= 200 && code <= 299) return 'sender_unauthorized';
  return OUR_CODES.get(code) ?? 'provider_rejected';
}

const OUR_CODES: ReadonlyMap<number, MessageErrorCode> = new Map(
  PROVIDER_CODES.flatMap(([ours, theirs]) => theirs.map((code) => [code, ours] as const)),
);

/** The finer code that the provider adds to some failures. */
export function subcodeOf(error: unknown): number | undefined {
  const subcode = isRecord(error) ? error.error_subcode : undefined;
  return typeof subcode === 'number' ? subcode : undefined;
}

/** Only the form in seconds is read; a date would need the provider's clock to agree with ours. */
function readRetryAfter(header: string | undefined): { retry_after_seconds?: number } {
  if (header === undefined || !/^[0-9]{1,9}$/.test(header)) return {};
  return { retry_after_seconds: Math.min(Number(header), RETRY_AFTER_SECONDS_MAX) };
}
