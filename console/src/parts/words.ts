import type { MessageError } from '../api/message.ts';
import type { Tone } from './statuses.ts';

const QUALITY: Record<string, { tone: Tone; sign: string; meaning: string }> = {
  green: { tone: 'good', sign: '▲', meaning: 'High: people like what they get.' },
  yellow: { tone: 'warn', sign: '◆', meaning: 'Medium: some people block or report it.' },
  red: { tone: 'bad', sign: '▼', meaning: 'Low: many people block or report it.' },
  unknown: { tone: 'plain', sign: '•', meaning: 'The provider has not rated it yet.' },
  'not rated': { tone: 'plain', sign: '•', meaning: 'The provider has not rated it yet.' },
};
/** A word that this console does not know. */
const OTHER = { tone: 'plain', sign: '•', meaning: '' } as const;

export function describeQuality(quality: string | null): { tone: Tone; sign: string; meaning: string; word: string } {
  const word = quality ?? 'not rated';
  return { ...(QUALITY[word] ?? OTHER), word };
}

const FAULTS: Record<string, string> = {
  caller: 'in what was sent to the API',
  recipient: 'on the side of the person it goes to',
  sender: 'with the channel, the template or the business account',
  provider: 'at the provider',
  platform: 'with us',
};

/** Where the cause lies, and whether sending it again unchanged makes sense. */
export function explainError({
  fault,
  retryable,
  retry_after_seconds: after,
}: Pick<MessageError, 'fault' | 'retryable'> & Partial<MessageError>): string {
  const wait = after === undefined ? '' : ` after ${after} s`;
  const again = retryable
    ? `It is safe to send it again unchanged${wait}.`
    : 'Sending it again unchanged would not help, or is not safe.';
  return `The cause lies ${FAULTS[fault] ?? 'elsewhere'}. ${again}`;
}

const ATTEMPT_ERRORS: Record<string, string> = {
  timeout: 'No answer within 15 s.',
  dns: 'The name could not be resolved.',
  refused: 'Nothing listens at the address.',
  tls: 'The certificate was not accepted.',
  address_refused: 'The name leads to an address that is not public.',
  redirect: 'It answered with a redirect, and redirects are not followed.',
  too_large: 'Its answer was too large.',
  closed: 'The connection broke before there was a whole answer.',
};

export function explainAttempt(error: string | null, httpStatus: number | null): string {
  if (error !== null) return ATTEMPT_ERRORS[error] ?? error.replaceAll('_', ' ');
  return httpStatus === null ? 'No answer.' : `It answered with ${httpStatus}.`;
}

const DISABLED: Record<string, string> = {
  requested: 'It was turned off with a key of this account.',
  gone: 'It answered with 410, which says that it is gone.',
  failing: 'It failed for 5 days, with no success between.',
};

/** Why an endpoint gets no events. */
export function explainDisabled(reason: string): string {
  return DISABLED[reason] ?? reason.replaceAll('_', ' ');
}

const LEFTOVERS: Record<string, string> = {
  unknown_message: 'Its message is not known, and was waited for in vain.',
  no_channel: 'No channel has this phone number id or business account. Connect it, then reprocess.',
  undecodable: 'It has a form that is not known. A newer version may know it.',
  not_json: 'It cannot be read at all: it is not JSON.',
  locked: 'Somebody kept a row locked that it changes. Reprocess it once the lock is gone.',
  failed: 'Applying it failed. Look into the log, then reprocess.',
};
/** While a notification still waits, nothing has failed yet. */
const WAITING_LEFTOVERS: Record<string, string> = {
  unknown_message: 'Its message is not known yet. It is looked for again by itself, for a week.',
  locked: 'Somebody keeps a row locked that it changes. It is tried again by itself every minute, for a week.',
};
/** What the gateway writes between the reasons of a notification that has several. */
const SEPARATOR = ', ';

/** Why a notification was not applied, or not all of it, and what to do. */
export function explainLeftover(error: string | null, state: string): string {
  if (error === null) return '–';
  const explain = (reason: string) =>
    (state === 'waiting' ? WAITING_LEFTOVERS[reason] : undefined) ?? LEFTOVERS[reason] ?? reason.replaceAll('_', ' ');
  return error.split(SEPARATOR).map(explain).join(' ');
}
