import type { MessageErrorCode } from '../kernel/message-errors.ts';

/** What the provider says when it refuses a sender. An alert looks at each, so it is counted from 0. */
export const SENDER_CODES: readonly MessageErrorCode[] = [
  'sender_unauthorized',
  'sender_suspended',
  'sender_unregistered',
  'sender_billing',
];
