/** What can be wrong with a webhook. The gateway's `check-signature` uses the same words. */
export type WebhookProblem =
  | 'header_missing'
  | 'header_repeated'
  | 'timestamp_malformed'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'signature_malformed'
  | 'signature_version_unknown'
  | 'signature_mismatch'
  | 'not_an_event';

/** A webhook was not proven to come from Waypost. Nothing in the error says what would be right. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookProblem;

  constructor(code: WebhookProblem, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
