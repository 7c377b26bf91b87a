import type { MessageError, MessageErrorCode, ProviderError } from './message-errors.ts';

/** What the page of a message's error tells beyond the table: why it comes, what to do, and how to see it. */
export interface MessageErrorDoc {
  cause: string;
  steps: readonly string[];
  /** The body of a send by a test key that brings it about in the sandbox; null: nothing can, at will. */
  tryIt: object | null;
  /** What stands in the error of that send beside what the table says. */
  seen: Omit<MessageError, 'code'>;
}

/** A row for every code: one that is forgotten is a type error. The pages in docs/errors/ are generated from it. */
export const MESSAGE_ERROR_DOCS: Readonly<Record<MessageErrorCode, MessageErrorDoc>> = {
  invalid_recipient: {
    cause:
      'The recipient is not a phone number in international form, or the `user_id` is not a user id of the provider. Nothing was transmitted, and the entry has no `id`, because there is no message. Or the recipient is the number that sends: the provider refuses that with 131021, and then the entry has an `id`.',
    steps: [
      'Store numbers with a plus and the country code, such as `+447700900123`. A number such as `07700 900123` does not say its country.',
      'Remove a bracketed `(0)`: nobody can see whether it belongs to the number.',
      'Give a user id as the provider gave it, such as `GB.abc123`, in `user_id` and not in `to`.',
    ],
    tryIt: text('0770'),
    seen: {
      detail:
        'The recipient is not a phone number in E.164 form: write it as it is dialled from abroad, with a plus and the country code',
    },
  },
  duplicate_recipient: {
    cause:
      'The same person is in this request twice. The first entry counts, whatever became of it, and this one was not sent. Two spellings of one number are the same person; a number and a user id are two.',
    steps: [
      'Look at the first entry of this person. If it failed, decide by its error; a second entry never takes its place.',
      'Remove duplicates before you send, if the counts of the answer matter to you.',
      'If the person should get two messages, use two requests.',
    ],
    tryIt: text('+447700900123, +44 7700 900123'),
    seen: {},
  },
  message_invalid: {
    cause:
      'The provider read the message and does not take it: a parameter is missing or has a value that it does not allow.',
    steps: [
      'Read `provider.details`: it names the parameter.',
      'Correct the message, and send it in a new request.',
      'If it comes for every message, tell the platform: the gateway may be sending something that the provider no longer takes.',
    ],
    tryIt: text('+15550131009'),
    seen: told(131009, 'Parameter value is not valid', 'One or more parameter values are invalid.'),
  },
  window_closed: {
    cause:
      'The provider takes a text only within 24 hours after the last message or call of the person to this number, and refused this one. The gateway never guesses this. If it knows when the person last wrote or called, the `message` of the error says so.',
    steps: [
      'Ask `POST /api/v1/messages/validate` beforehand: the warning `window_not_known` says that nothing came from the person within 24 hours, as far as is known.',
    ],
    tryIt: text('+15550131047'),
    seen: {
      detail:
        'More than 24 hours have passed since the person wrote or called. The person has neither written to nor called this number, as far as this service knows',
      ...told(131047, 'Re-engagement message', 'More than 24 hours have passed since the customer last replied.'),
    },
  },
  template_not_found: {
    cause:
      'The business account has no template of this name, or has it in other languages only; then the `message` of the error names them. Or the provider has just deleted the template.',
    steps: [
      'Compare name and language with `GET /api/v1/templates`. `en` and `en_US` are two languages.',
      'After a change at the provider, call `POST /api/v1/templates/sync`.',
      'If you have several channels, name the one whose business account has the template in `from`. `GET /api/v1/templates` lists the templates of all of them.',
    ],
    tryIt: template('no_such_template'),
    seen: { detail: "The channel's business account has no template of this name" },
  },
  template_not_approved: {
    cause:
      'The template exists, and its status is not `approved`: for example pending, rejected, archived or deleted. Nothing was transmitted.',
    steps: [
      'Wait for the approval: `template.updated` announces it.',
      "If it was rejected, read the reason in the provider's dashboard, and change the template there.",
    ],
    tryIt: template('promo_pending'),
    seen: { detail: 'The template is not approved: it is pending' },
  },
  template_parameters_invalid: {
    cause:
      'The components of the send do not fit the template: a parameter is missing, one too many, of another kind, empty, too long, or without its name. If the gateway found this before it transmitted anything, `errors` says where, what is expected and what was given. Without `errors` it was the provider that refused the message.',
    steps: [
      'The pointers in `errors` lead into your body; those for a recipient with components of its own begin with `#/to/`.',
      'Look at the template with `GET /api/v1/templates?name=`: its `components` show the variables.',
      'Try it with `POST /api/v1/messages/validate`, which sends nothing.',
    ],
    tryIt: template('order_update'),
    seen: {
      errors: [
        {
          pointer: '#/template/components',
          detail: 'The body component is missing.',
          expected: '1 parameter',
          given: 'none',
        },
      ],
    },
  },
  template_text_too_long: {
    cause: 'With its variables filled in, the text of the template is longer than the provider allows.',
    steps: ['Use shorter values for the variables.', 'Move text from the variables into the template.'],
    tryIt: text('+15550132005'),
    seen: told(132005, 'Translated text too long', 'The hydrated template text is too long.'),
  },
  template_policy_violation: {
    cause: "The provider finds that the template's content violates one of its policies.",
    steps: ["Read the provider's details, and change the content of the template or of its variables."],
    tryIt: text('+15550132007'),
    seen: told(132007, 'Template content policy violation', 'Template content violates a WhatsApp policy.'),
  },
  template_paused: {
    cause:
      'The provider has paused the template because people blocked or reported it, or holds it back to assess it. This error may also come later, as `message.failed`, for a message that was taken and `held`.',
    steps: [
      'Use another template until it is active again: `template.updated` announces that.',
      'Find out why people do not want it. A template that is paused several times is disabled.',
    ],
    tryIt: template('promo_paused'),
    seen: {},
  },
  template_disabled: {
    cause: 'The provider has disabled the template, usually after it was paused several times.',
    steps: ['Write a new template with other content, and use it once it is approved.'],
    tryIt: template('promo_disabled'),
    seen: {},
  },
  recipient_unreachable: {
    cause:
      'The provider cannot deliver to this person and does not say why: the number may not use WhatsApp, the app may be too old, or the person may not have accepted its terms.',
    steps: [
      'Ask the person in another way whether the number is right.',
      'Do not repeat it at once. If it persists, remove the number from your list.',
    ],
    tryIt: text('+15550131026'),
    seen: told(131026, 'Message undeliverable', 'Unable to deliver message.'),
  },
  recipient_opted_out: {
    cause:
      'The person has stopped marketing messages in WhatsApp. If the gateway knows of it, a marketing template is not transmitted at all; otherwise the provider refuses it.',
    steps: [
      'You may still send texts within the window, and other templates.',
      'Only the person can resume them, in WhatsApp.',
    ],
    tryIt: text('+15550131050'),
    seen: told(
      131050,
      'User stopped marketing messages',
      'The user has stopped marketing messages from this business.',
    ),
  },
  recipient_blocked: {
    cause: 'The business has blocked this person at the provider.',
    steps: ['Let the platform unblock the person at the provider, if the block was wrong, and send again.'],
    tryIt: text('+15550130403'),
    seen: told(130403, 'Recipient is blocked', 'The business has blocked this user.'),
  },
  recipient_not_allowed: {
    cause: "The sender is one of the provider's test numbers, which can write to listed numbers only.",
    steps: ["Add the number to the list in the provider's app dashboard.", 'Or send from a number of your own.'],
    tryIt: text('+15550131030'),
    seen: told(
      131030,
      'Recipient phone number not in allowed list',
      'Add the number to the recipient list and try again.',
    ),
  },
  recipient_identity_unsupported: {
    cause: 'The message went to a user id, and the provider takes this kind of message for phone numbers only.',
    steps: ['Send it to the phone number of the person, if you have it.', 'Otherwise send another kind of message.'],
    tryIt: text('+15550131062'),
    seen: told(131062, 'Business-scoped user id not supported', 'This message cannot be sent to a user id.'),
  },
  experiment_holdout: {
    cause: 'The provider has put the person into a group that gets no marketing for the duration of an experiment.',
    steps: [
      'Do not repeat it: the answer stays the same while the experiment runs.',
      'Use another way to reach the person.',
    ],
    tryIt: text('+15550130472'),
    seen: told(130472, "User's number is part of an experiment", 'The message was not sent as part of an experiment.'),
  },
  marketing_limited: {
    cause:
      'The provider limits how much marketing one person gets from all businesses together. It publishes no figures. Marketing templates to numbers in the United States get this error too.',
    steps: [
      'Do not repeat it within 24 hours: an earlier try brings the same error.',
      'Send less marketing to people who do not answer.',
    ],
    tryIt: text('+15550131049'),
    seen: told(131049, 'Meta chose not to deliver', 'Not delivered to maintain healthy ecosystem engagement.'),
  },
  marketing_disabled: {
    cause: 'The business has turned off marketing through this interface at the provider.',
    steps: ['Let the platform turn it on at the provider, or send marketing the way that the business has chosen.'],
    tryIt: text('+15550131063'),
    seen: told(131063, 'Marketing messages are disabled', 'Marketing templates are disabled for Cloud API.'),
  },
  pair_rate_limited: {
    cause:
      'One number sent too many messages to one person. The provider takes one every 6 seconds, and up to 45 at once, which are borrowed from the time after. Either the gateway saw that the turn of this message could not come before the deadline, or the provider refused it at every try, of which there are three at most.',
    steps: [
      'Wait at least `retry_after_seconds`, if the error has it, and send it again in a new request with a new key.',
      'If it does not have it, the provider refused the message. After several messages at once it may take no more until it would have taken all of them one by one: wait 6 seconds for each of them, such as two minutes after 20.',
      'Write to one person in fewer messages.',
    ],
    tryIt: text('+15550131056'),
    seen: told(
      131056,
      '(Business Account, Consumer Account) pair rate limit hit',
      'Too many messages to the same number.',
    ),
  },
  throughput_limited: {
    cause:
      'More messages than the provider allows went out from this number or this app. Either the gateway saw that the turn of this message could not come before the deadline, or the provider refused it at every try, of which there are three at most.',
    steps: [
      'Wait at least `retry_after_seconds`, if the error has it, and send it again in a new request with a new key.',
      'Send more slowly, or spread the messages over several numbers.',
      '`throughput_per_second` in `GET /api/v1/channels` says how many messages a second the number may send.',
    ],
    tryIt: text('+15550130429'),
    seen: told(130429, 'Rate limit hit', 'Cloud API message throughput has been reached.'),
  },
  sender_spam_limited: {
    cause: 'People have blocked or reported messages of this number, and the provider limits it.',
    steps: [
      'Look at the `quality` of the channel, and stop what people do not want.',
      'Wait until the provider lifts the limit. Repeating does not help.',
    ],
    tryIt: text('+15550131048'),
    seen: told(131048, 'Spam rate limit hit', 'There are restrictions on how many messages this number can send.'),
  },
  sender_category_limited: {
    cause:
      'The provider found templates of this business in a wrong category, such as marketing in a utility template, and limits it.',
    steps: ["Correct the categories in the provider's dashboard.", 'Send marketing with marketing templates only.'],
    tryIt: text('+15550131064'),
    seen: told(
      131064,
      'Messaging limit reached',
      'The messaging limit was cut for template classification violations.',
    ),
  },
  sender_unauthorized: {
    cause:
      'The provider refuses the access token of the channel, or the token may not do this. If the token itself was refused when a message was transmitted, or templates or the facts of the number were read (0 and 190), the channel is `suspended` from then on, and its messages fail with `sender_suspended` without being transmitted. A code that comes later, in a notification, does not suspend the channel: by then the channel may have another token.',
    steps: [
      'The platform gives the channel a new access token: `PATCH /platform/v1/channels/{id}`. It is checked with the provider before it is kept.',
      'Make sure that the user of the token may use the number and the business account, with the permissions `whatsapp_business_messaging` and `whatsapp_business_management`.',
    ],
    tryIt: text('+15550131005'),
    seen: told(131005, 'Access denied', 'Permission is either not granted or has been removed.'),
  },
  sender_suspended: {
    cause:
      "Either the channel is `suspended` here, because the provider refused its access token, and nothing was transmitted. Or the provider has locked the business account or the number, or the number's name is not approved yet.",
    steps: [
      'Look at `status` in `GET /api/v1/channels`. If it is `suspended`, the platform gives the channel a new access token.',
      'Otherwise the platform looks at the business account at the provider, which gives the reason, and asks for a review.',
    ],
    tryIt: text('+15550131031'),
    seen: told(
      131031,
      'Account has been locked',
      'The account has been restricted or disabled for violating a policy.',
    ),
  },
  sender_unregistered: {
    cause: 'The number may not send: it is not registered at the provider, its registration broke, or its id is wrong.',
    steps: [
      'The platform registers the number at the provider.',
      'Compare the phone number id of the channel with the one in the dashboard.',
    ],
    tryIt: text('+15550133010'),
    seen: told(133010, 'Account not registered', 'The phone number is not registered on the platform.'),
  },
  sender_billing: {
    cause:
      'The provider cannot charge for the message: there is no way to pay, it was refused, or the currency or time zone of the business account is not set.',
    steps: [
      "The platform settles it in the provider's billing settings.",
      'Then send the messages again in a new request.',
    ],
    tryIt: text('+15550131042'),
    seen: told(131042, 'Business eligibility payment issue', 'There were errors related to your payment method.'),
  },
  country_restricted: {
    cause: 'The business may not write to people in this country.',
    steps: [
      'Do not write to this country from this number.',
      'Ask the provider whether the business can be allowed to.',
    ],
    tryIt: text('+15550130497'),
    seen: told(130497, 'Business account is restricted from messaging users in this country', 'Country is restricted.'),
  },
  provider_unavailable: {
    cause:
      'There was no connection to the provider, or the provider said that it is overloaded or down for maintenance. It certainly did not take the message. The gateway tried up to three times, as far as the deadline allowed. Or the gateway knows nothing of the template, and could not ask the provider for it: then nothing was transmitted.',
    steps: [
      'Send it again in a new request with a new key, and wait longer each time.',
      'If it comes for all messages, the platform should check whether the gateway reaches the provider at all.',
    ],
    tryIt: text('+15550131016'),
    seen: told(131016, 'Service unavailable', 'A service is temporarily unavailable.'),
  },
  provider_error: {
    cause:
      'The provider says that something went wrong on its side, and does not say whether the message was taken first.',
    steps: [
      'Check whether the message arrived after all: a report from the provider that says so changes its status.',
      'Only then send it again, in a new request.',
    ],
    tryIt: text('+15550131000'),
    seen: told(131000, 'Something went wrong', 'Message failed to send due to an unknown error.'),
  },
  provider_rejected: {
    cause:
      'The provider refused the message with a code that this version does not know, or with a 4xx without any code.',
    steps: ["Read `provider`: it has the provider's code and words.", 'Decide by them; do not repeat it unchanged.'],
    tryIt: text('+15550139999'),
    seen: told(139999, 'Message failed', 'The message was refused with code 139999.'),
  },
  not_attempted: {
    cause:
      'The message was never transmitted, so nobody got it. Either the deadline came before it could go, or too many messages waited for a connection to the provider, or, while it still waited, the gateway ended, the account was suspended or the channel was removed.',
    steps: [
      'Send it again in a new request with a new key: the old key only repeats the old answer.',
      'If it comes often, send to fewer people at once, or let the platform raise the deadline.',
    ],
    tryIt: null,
    seen: {},
  },
  outcome_unknown: {
    cause:
      'The message was on its way to the provider, and no clear answer came: the connection broke, the time ran out, the answer could not be read, or the gateway ended in between. The person may or may not get the message. The gateway never sends it again.',
    steps: [
      'Wait: a report from the provider settles it, mostly within seconds, and you get an event.',
      'If it must arrive, send it again after a time that you choose, and accept that it may come twice.',
      'If it must not come twice, ask the person, or let somebody look at it.',
    ],
    tryIt: text('+15552000004'),
    seen: { detail: 'The provider answered with HTTP 500, which does not tell whether it took the message' },
  },
};

function text(to: string): object {
  return { to, type: 'text', text: { body: 'Your parcel is here' } };
}

function template(name: string): object {
  return { to: '+447700900123', type: 'template', template: { name, language: 'en_US' } };
}

/** The provider's words, as the sandbox gives them for one of its codes. */
function told(code: number, title: string, details: string): { provider: ProviderError } {
  return { provider: { code, title: `(#${code}) ${title}`, details, trace_id: '<TRACE_ID>' } };
}
