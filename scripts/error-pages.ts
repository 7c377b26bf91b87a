import { API_ERROR_DOCS } from '../src/kernel/error-docs.ts';
import { API_ERRORS, type ApiErrorCode } from '../src/kernel/errors.ts';
import { MESSAGE_ERROR_DOCS } from '../src/kernel/message-error-docs.ts';
import { MESSAGE_ERRORS, type MessageErrorCode, presentMessageError } from '../src/kernel/message-errors.ts';
import { PROVIDER_CODES } from '../src/provider/whatsapp/failures.ts';

const DOCS_URL = 'https://waypost.example/docs/errors';

/** The page of every error code as Markdown, by its code. The page that lists them all is `README`. */
export function errorPages(): Map<string, string> {
  return new Map([
    ['README', indexPage()],
    ...apiCodes().map((code): [string, string] => [code, apiErrorPage(code)]),
    ...messageCodes().map((code): [string, string] => [code, messageErrorPage(code)]),
  ]);
}

function indexPage(): string {
  const ofRequests = apiCodes().map((code) => {
    const { status, title } = API_ERRORS[code];
    return `| [\`${code}\`](${code}.md) | ${status} | ${title} |`;
  });
  const ofMessages = messageCodes().map((code) => {
    const { fault, retryable, message } = MESSAGE_ERRORS[code];
    return `| [\`${code}\`](${code}.md) | ${fault} | ${yesOrNo(retryable)} | ${message} |`;
  });
  return `# Errors

Every error code has a page that explains why you get it and what to do. Let your program decide by the code: titles and other words may
change. There are two kinds: an error of [a whole request](#a-whole-request), and an error of [one message](#one-message).

## A whole request

The answer is \`application/problem+json\` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)). Nothing was transmitted. The
exception is a 500: then you cannot know.

| code | HTTP status | meaning |
|---|---|---|
${ofRequests.join('\n')}

If several errors apply, you get [the first of them](../api-promises.md#which-error-answers).

## One message

You find it in the \`error\` of an entry of the send's answer, of a message, or of an event. The request itself succeeded. *Retryable* answers
one question: is it safe and sensible to send this message again unchanged?

| code | who has to act | retryable | meaning |
|---|---|---|---|
${ofMessages.join('\n')}

*Sender* is the owner of the channel. If something must be settled at the provider, the platform does that. [Reading
results](../reading-results.md) explains how to handle these errors in your code.

These pages are made from the tables in \`src/kernel\` by \`npm run generate\`.
`;
}

function apiErrorPage(code: ApiErrorCode): string {
  const { status, title, action } = API_ERRORS[code];
  const { cause, steps, detail, errors, headers = {} } = API_ERROR_DOCS[code];
  const problem = {
    type: `${DOCS_URL}/${code}`,
    title,
    status,
    detail,
    code,
    request_id: 'req_01m7x79gp3e6...',
    ...(errors && { errors }),
  };
  const lines = Object.entries({ 'Content-Type': 'application/problem+json', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join('\n');
  return page(code, [
    `${title}. This is the answer to a whole request, with HTTP status ${status}.`,
    `## Why\n\n${cause}`,
    `## What to do\n\n${action}\n\n${list(steps)}`,
    `## Example\n\n${fence('', head)}\n\n${fence('json', JSON.stringify(problem, undefined, 2))}`,
  ]);
}

function messageErrorPage(code: MessageErrorCode): string {
  const { fault, retryable, message, action } = MESSAGE_ERRORS[code];
  const { cause, steps, tryIt, seen } = MESSAGE_ERROR_DOCS[code];
  const again = retryable
    ? 'It is safe and sensible to send the message again unchanged, in a new request with a new idempotency key.'
    : 'Do not send the message again unchanged: that is not safe, or makes no sense.';
  const error = presentMessageError({ code, ...seen }, DOCS_URL);
  const example = fence('json', JSON.stringify(error, undefined, 2));
  return page(code, [
    `${message}. You find this in the \`error\` of one recipient's entry, of a message, or of an event. The request itself succeeded.`,
    list([
      `**Who has to act:** the ${fault}.`,
      `**Retryable:** ${yesOrNo(retryable)}. ${again}`,
      `**The provider's codes:** ${providerCodes(code)}.`,
    ]),
    `## Why\n\n${cause}`,
    `## What to do\n\n${action}\n\n${list(steps)}`,
    tryIt === null
      ? `## Example\n\nNothing in the sandbox causes it at will. The error:\n\n${example}`
      : `## Example\n\nThis send by a test key causes it in the sandbox:\n\n${fence('json', JSON.stringify(tryIt))}\n\nThe \`error\` of its last entry:\n\n${example}`,
  ]);
}

function providerCodes(code: MessageErrorCode): string {
  const codes = PROVIDER_CODES.flatMap(([ours, theirs]) => (ours === code ? theirs : []));
  const more = CODES_BY_RULE[code];
  const words = codes.map(String).filter((word) => more?.startsWith(`${word} `) !== true);
  if (more !== undefined) words.push(more);
  return words.length === 0 ? 'none: the gateway finds it' : words.join(', ');
}

/** The codes of the provider that are mapped by a rule, beside those in the table of single codes, or in place of one that it begins with. */
const CODES_BY_RULE: Partial<Record<MessageErrorCode, string>> = {
  message_invalid: '100 without the subcode 33',
  sender_unauthorized: '200 to 299',
  sender_unregistered: '100 with the subcode 33',
  throughput_limited: 'HTTP 429 without a code',
  provider_unavailable: 'no connection',
  provider_rejected: 'any code that is not known, and any other HTTP 4xx without a code, except 408',
  outcome_unknown: 'none: an answer that does not say what happened, or no answer',
};

function page(code: string, parts: string[]): string {
  return `# ${code}\n\n${parts.join('\n\n')}\n\n[All errors](README.md)\n`;
}

function list(steps: readonly string[]): string {
  return steps.map((step) => `- ${step}`).join('\n');
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function apiCodes(): ApiErrorCode[] {
  return Object.keys(API_ERRORS).filter((code): code is ApiErrorCode => code in API_ERRORS);
}

function messageCodes(): MessageErrorCode[] {
  return Object.keys(MESSAGE_ERRORS).filter((code): code is MessageErrorCode => code in MESSAGE_ERRORS);
}
