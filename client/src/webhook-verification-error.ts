/** What can be wrong with a webhook; the words are those of the gateway's `check-signature`. */
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

/** What was received is not proven to come from Waypost. Nothing in it tells what would be right. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookProblem;

  constructor(code: WebhookProblem, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
