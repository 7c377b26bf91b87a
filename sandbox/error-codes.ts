/** What the provider says with one of its codes. */
export interface ErrorCode {
  status: number;
  title: string;
  details: string;
}

/**
 * The provider's codes with the HTTP status that it answers them with.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 */
const ERROR_CODES: ReadonlyMap<number, ErrorCode> = new Map([
  code(0, 401, 'AuthException', 'We were unable to authenticate the app user.'),
  code(1, 400, 'API Unknown', 'Invalid request or possible server error.'),
  code(2, 503, 'API Service', 'Temporary due to downtime or due to being overloaded.'),
  code(3, 500, 'API Method', 'Capability or permissions issue.'),
  code(4, 400, 'API Too Many Calls', 'The app has reached its API call rate limit.'),
  code(10, 403, 'Permission Denied', 'Permission is either not granted or has been removed.'),
  code(17, 429, 'API User Too Many Calls', 'User request limit reached.'),
  code(32, 429, 'Page request limit reached', 'Page request limit reached.'),
  code(33, 400, 'Parameter value is not valid', 'The business phone number has been deleted.'),
  code(100, 400, 'Invalid parameter', 'The request included one or more unsupported or misspelled parameters.'),
  code(104, 401, 'Access token required', 'An access token is required to request this resource.'),
  code(190, 401, 'Access token has expired', 'Your access token has expired.'),
  code(368, 403, 'Temporarily blocked for policies violations', 'The account has been restricted or disabled.'),
  code(613, 400, 'Calls to this api have exceeded the rate limit', 'Rate limit exceeded.'),
  code(80007, 400, 'Rate limit issues', 'The WhatsApp Business Account has reached its rate limit.'),
  code(80008, 400, 'Rate limit issues', 'There have been too many calls to this WhatsApp Business account.'),
  code(130403, 400, 'Recipient is blocked', 'The business has blocked this user.'),
  code(130429, 400, 'Rate limit hit', 'Cloud API message throughput has been reached.'),
  code(130472, 400, "User's number is part of an experiment", 'The message was not sent as part of an experiment.'),
  code(130497, 403, 'Business account is restricted from messaging users in this country', 'Country is restricted.'),
  code(131000, 500, 'Something went wrong', 'Message failed to send due to an unknown error.'),
  code(131005, 403, 'Access denied', 'Permission is either not granted or has been removed.'),
  code(131008, 400, 'Required parameter is missing', 'The request is missing a required parameter.'),
  code(131009, 400, 'Parameter value is not valid', 'One or more parameter values are invalid.'),
  code(131016, 500, 'Service unavailable', 'A service is temporarily unavailable.'),
  code(131021, 400, 'Recipient cannot be sender', 'Sender and recipient phone number is the same.'),
  code(131026, 400, 'Message undeliverable', 'Unable to deliver message.'),
  code(
    131030,
    400,
    'Recipient phone number not in allowed list',
    'Add the number to the recipient list and try again.',
  ),
  code(131031, 403, 'Account has been locked', 'The account has been restricted or disabled for violating a policy.'),
  code(131037, 400, 'Display name approval is needed', 'The number needs an approved display name.'),
  code(131042, 400, 'Business eligibility payment issue', 'There were errors related to your payment method.'),
  code(131045, 500, 'Incorrect certificate', 'Message failed to send due to a phone number registration error.'),
  code(131047, 400, 'Re-engagement message', 'More than 24 hours have passed since the customer last replied.'),
  code(131048, 400, 'Spam rate limit hit', 'There are restrictions on how many messages this number can send.'),
  code(131049, 400, 'Meta chose not to deliver', 'Not delivered to maintain healthy ecosystem engagement.'),
  code(131050, 400, 'User stopped marketing messages', 'The user has stopped marketing messages from this business.'),
  code(131051, 400, 'Unsupported message type', 'The message type is not supported.'),
  code(131052, 400, 'Media download error', 'Unable to download the media sent by the user.'),
  code(131053, 400, 'Media upload error', 'Unable to upload the media used in the message.'),
  code(
    131056,
    400,
    '(Business Account, Consumer Account) pair rate limit hit',
    'Too many messages to the same number.',
  ),
  code(131057, 500, 'Account in maintenance mode', 'The business account is in maintenance mode.'),
  code(131062, 400, 'Business-scoped user id not supported', 'This message cannot be sent to a user id.'),
  code(131063, 400, 'Marketing messages are disabled', 'Marketing templates are disabled for Cloud API.'),
  code(131064, 400, 'Messaging limit reached', 'The messaging limit was cut for template classification violations.'),
  code(132000, 400, 'Number of parameters does not match the expected number of params', 'Parameter count mismatch.'),
  code(132001, 404, 'Template name does not exist in the translation', 'The template does not exist in that language.'),
  code(132005, 400, 'Translated text too long', 'The hydrated template text is too long.'),
  code(132007, 400, 'Template content policy violation', 'Template content violates a WhatsApp policy.'),
  code(132008, 400, 'Template parameter format mismatch', 'Variable parameter values are formatted incorrectly.'),
  code(132012, 400, 'Parameter format does not match format in the created template', 'Parameter format mismatch.'),
  code(132015, 400, 'Template is paused', 'Template is paused due to low quality so it cannot be sent.'),
  code(132016, 400, 'Template is disabled', 'Template was paused too many times and is permanently disabled.'),
  code(132018, 400, "There's an issue with the parameters in your template", 'Template parameters did not validate.'),
  code(132068, 400, 'Flow is in blocked state', 'Flow is in blocked state.'),
  code(132069, 400, 'Flow is in throttled state', 'Ten messages using this flow were already sent in the last hour.'),
  code(133004, 503, 'Server temporarily unavailable', 'Server is temporarily unavailable.'),
  code(133010, 400, 'Account not registered', 'The phone number is not registered on the platform.'),
  code(135000, 400, 'Generic user error', 'Message failed to send because of an unknown error with your request.'),
  code(2494100, 400, 'Business phone number in maintenance mode', 'The phone number is in maintenance mode.'),
]);

/** What the provider says with this code. One that is not in the table is an HTTP 400 without much explanation. */
export function errorCode(number: number): ErrorCode {
  const known = ERROR_CODES.get(number);
  if (known !== undefined) return known;
  if (number >= 200 && number <= 299) {
    return {
      status: 403,
      title: 'Permissions error',
      details: 'Permission is either not granted or has been removed.',
    };
  }
  return { status: 400, title: 'Message failed', details: `The message was refused with code ${number}.` };
}

function code(number: number, status: number, title: string, details: string): [number, ErrorCode] {
  return [number, { status, title, details }];
}
