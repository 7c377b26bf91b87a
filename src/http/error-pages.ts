import { API_ERRORS, ApiError, type ApiErrorCode } from '../kernel/errors.ts';
import { MESSAGE_ERRORS, type MessageErrorCode } from '../kernel/message-errors.ts';
import { publicRoute, type Route } from './route.ts';

/** The page of every error code as Markdown, by its code. docs/errors/ holds the same texts. */
export function errorPages(): Map<string, string> {
  const apiCodes = Object.keys(API_ERRORS).filter(isApiErrorCode);
  const messageCodes = Object.keys(MESSAGE_ERRORS).filter(isMessageErrorCode);
  return new Map([
    ...apiCodes.map((code): [string, string] => [code, apiErrorPage(code)]),
    ...messageCodes.map((code): [string, string] => [code, messageErrorPage(code)]),
  ]);
}

function isApiErrorCode(code: string): code is ApiErrorCode {
  return code in API_ERRORS;
}

function isMessageErrorCode(code: string): code is MessageErrorCode {
  return code in MESSAGE_ERRORS;
}

function apiErrorPage(code: ApiErrorCode): string {
  const { status, title, action } = API_ERRORS[code];
  const problem = {
    type: `https://waypost.example/docs/errors/${code}`,
    title,
    status,
    detail: '...',
    code,
    request_id: '<request_id>',
  };
  return page(code, [
    `${title}. This is the answer to a whole request, with HTTP status ${status}.`,
    `**What to do:** ${action}`,
    example(problem),
  ]);
}

function messageErrorPage(code: MessageErrorCode): string {
  const { fault, retryable, message, action } = MESSAGE_ERRORS[code];
  const again = retryable
    ? 'It is safe and sensible to send the message again unchanged, in a new request with a new idempotency key.'
    : 'Sending the message again unchanged is not safe or makes no sense.';
  const error = { code, message, fault, retryable, action, doc_url: `https://waypost.example/docs/errors/${code}` };
  return page(code, [
    `${message}. This stands in the \`error\` of one recipient's entry, of a message, or of an event; the request itself succeeded.`,
    `**Who has to act:** the ${fault}. **Retryable:** ${retryable ? 'yes' : 'no'}. ${again}`,
    `**What to do:** ${action}`,
    example(error),
  ]);
}

function page(code: string, parts: string[]): string {
  return `# ${code}\n\n${parts.join('\n\n')}\n`;
}

function example(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;
}

/** The pages that the `type` and `doc_url` of errors point to. */
export function errorPageRoute(): Route {
  const pages = errorPages();
  return publicRoute({
    method: 'GET',
    path: '/docs/errors/:code',
    summary: 'Read the page of an error code',
    bodyUse: 'none',
    async handle({ params }) {
      const text = pages.get(params.code ?? '');
      if (text === undefined) throw new ApiError('not_found', 'There is no such error code.');
      return { status: 200, body: text, headers: { 'content-type': 'text/markdown; charset=utf-8' } };
    },
  });
}
