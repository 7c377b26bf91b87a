/**
 * Every reason why a message was not taken or did not arrive, in one table. The send's answer, later failures and
 * events all use it. `retryable` answers one question: is it safe and sensible to send this message again unchanged?
 */
export const MESSAGE_ERRORS = {
  invalid_recipient: row(
    'caller',
    false,
    'The recipient is not a phone number in E.164 form',
    `Use a person's number in international form with a leading plus, or in "user_id" the user id as the provider gave it.`,
  ),
  duplicate_recipient: row(
    'caller',
    false,
    'The recipient is in this request already',
    'Nothing to do: the first entry counts for this person.',
  ),
  message_invalid: row(
    'caller',
    false,
    'The provider does not accept the message as it is',
    'Correct the message as the details say.',
  ),
  window_closed: row(
    'caller',
    false,
    'The person has not written within 24 hours',
    'Send an approved template instead.',
  ),
  template_not_found: row(
    'caller',
    false,
    'There is no such template in this language',
    'Check the name and the language.',
  ),
  template_not_approved: row(
    'caller',
    false,
    'The template is not approved',
    'Wait for the approval, or use another template.',
  ),
  template_parameters_invalid: row(
    'caller',
    false,
    'The parameters do not fit the template',
    'Correct the components: "errors" or the provider\'s details say what is wrong.',
  ),
  template_text_too_long: row('caller', false, 'The filled template is too long', 'Use shorter parameters.'),
  template_policy_violation: row(
    'caller',
    false,
    "The template's content violates a policy of the provider",
    'Change the content.',
  ),
  template_paused: row(
    'sender',
    false,
    'The template is paused for its quality',
    'Use another template until it is active again.',
  ),
  template_disabled: row('sender', false, 'The template is disabled', 'Use another template.'),
  recipient_unreachable: row(
    'recipient',
    false,
    'The message cannot be delivered to this person',
    'Check that the person uses WhatsApp, or use another way.',
  ),
  recipient_opted_out: row(
    'recipient',
    false,
    'The person has stopped marketing messages',
    'Do not send marketing to this person.',
  ),
  recipient_blocked: row('sender', false, 'You have blocked this person', 'Unblock the person first.'),
  recipient_not_allowed: row(
    'recipient',
    false,
    'The number is not in the allowed list of the test number',
    'Add it to the list at the provider.',
  ),
  recipient_identity_unsupported: row(
    'recipient',
    false,
    'This message cannot be sent to a user id',
    'Send it to the phone number.',
  ),
  experiment_holdout: row(
    'recipient',
    false,
    'The person is part of an experiment of the provider',
    'Do not repeat; use another way.',
  ),
  marketing_limited: row(
    'recipient',
    false,
    'The provider limits marketing to this person',
    'Do not repeat within 24 hours.',
  ),
  marketing_disabled: row(
    'sender',
    false,
    'Marketing is disabled for this sender',
    'Enable marketing at the provider.',
  ),
  pair_rate_limited: row(
    'sender',
    true,
    'Too many messages to this person in a short time',
    'Repeat later and slower.',
  ),
  throughput_limited: row(
    'sender',
    true,
    'Too many messages from this sender in a short time',
    'Repeat later and slower.',
  ),
  sender_spam_limited: row(
    'sender',
    false,
    'The provider limits the sender because of spam',
    "Look at the sender's quality before you send more.",
  ),
  sender_category_limited: row(
    'sender',
    false,
    'The provider limits the sender for wrongly categorised templates',
    'Correct the categories of the templates.',
  ),
  sender_unauthorized: row(
    'sender',
    false,
    'The provider refuses the access of the sender',
    'The platform has to renew the access token or its permissions.',
  ),
  sender_suspended: row('sender', false, 'The sender is suspended', 'The platform has to settle it with the provider.'),
  sender_unregistered: row(
    'sender',
    false,
    'The sender is not registered at the provider',
    'The platform has to register the number.',
  ),
  sender_billing: row(
    'sender',
    false,
    "The sender's payment method does not work",
    'The platform has to settle the payment at the provider.',
  ),
  country_restricted: row('sender', false, 'The sender may not write to this country', 'Do not send to this country.'),
  provider_unavailable: row('provider', true, 'The provider cannot be reached or is overloaded', 'Repeat later.'),
  provider_error: row(
    'provider',
    false,
    'The provider reports an error of its own',
    'Before you repeat the message, check whether it arrived.',
  ),
  provider_rejected: row('provider', false, 'The provider refused the message', "Read the provider's details."),
  not_attempted: row('platform', true, 'The message was not transmitted: its turn never came', 'Send it again.'),
  outcome_unknown: row(
    'provider',
    false,
    'Whether the provider took the message is not known',
    'Do not send it again blindly: a later notification may settle it.',
  ),
} as const satisfies Record<string, MessageErrorRow>;

/** Who has to act: the caller, the recipient, the sender (the channel's owner), the provider or the platform. */
export type MessageErrorFault = 'caller' | 'recipient' | 'sender' | 'provider' | 'platform';
export type MessageErrorCode = keyof typeof MESSAGE_ERRORS;

interface MessageErrorRow {
  fault: MessageErrorFault;
  retryable: boolean;
  message: string;
  action: string;
}

/** What the provider said of a failure, without anything that identifies a person. */
export interface ProviderError {
  code?: number;
  title?: string;
  details?: string;
  trace_id?: string;
}

/** A fault inside a message, such as a template parameter that does not fit. */
export interface MessageFault {
  pointer: string;
  detail: string;
  expected?: string;
  given?: string;
}

/** A failure as it is stored: only what the table does not know. `presentMessageError` adds the rest. */
export interface MessageError {
  code: MessageErrorCode;
  detail?: string;
  retry_after_seconds?: number;
  errors?: MessageFault[];
  provider?: ProviderError;
}

/** A failure as it may have been stored: by a gateway of a later version too, which has codes that are not in this table. */
export interface StoredMessageError extends Omit<MessageError, 'code'> {
  code: string;
}

/** The same failure without what it quotes of the message. */
export function withoutFaults({ errors: _, ...error }: StoredMessageError): StoredMessageError {
  return error;
}

/** Whether a stored value is a failure. */
export function isMessageError(value: unknown): value is StoredMessageError {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';
}

/** Gateways of a later version may run beside this one, or have run before it. */
const CODE_OF_LATER_VERSION = row(
  'provider',
  false,
  'The message failed for a reason that this version of the gateway does not know',
  'Look the code up in the documentation of the newest version.',
);

/** A failure as the caller sees it. */
export interface MessageErrorView extends Omit<StoredMessageError, 'detail'> {
  message: string;
  fault: MessageErrorFault;
  retryable: boolean;
  action: string;
  doc_url: string;
}

/** Adds the table's words to a stored failure; `docsUrl` is the base of the error pages, without a final slash. */
export function presentMessageError(error: StoredMessageError, docsUrl: string): MessageErrorView {
  const { code, detail, ...rest } = error;
  const known: Partial<Record<string, MessageErrorRow>> = MESSAGE_ERRORS;
  const { fault, retryable, message, action } = known[code] ?? CODE_OF_LATER_VERSION;
  return { code, message: detail ?? message, fault, retryable, ...rest, action, doc_url: `${docsUrl}/${code}` };
}

function row(fault: MessageErrorFault, retryable: boolean, message: string, action: string): MessageErrorRow {
  return { fault, retryable, message, action };
}
