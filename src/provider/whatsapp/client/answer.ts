import { isRecord } from '../../../kernel/is-record.ts';
import { USER_ID } from '../../../kernel/user-id.ts';
import type { TransmitOutcome } from '../../port.ts';
import { readFailure } from '../failures.ts';

/** Ids come back in notifications and are kept: visible characters only. The provider's own limit is 128. */
const PROVIDER_MESSAGE_ID = /^[\x21-\x7e]{1,256}$/;

/** The provider took the message but holds it back, to see how people receive the first ones of its template. */
const HELD: ReadonlySet<unknown> = new Set(['held_for_quality_assessment', 'paused']);

export interface Answer {
  httpStatus: number;
  retryAfter: string | undefined;
  body: string;
}

/** What a whole answer of the provider means: a 2xx with a message id is taken, everything else is not or is open. */
export function readAnswer({ httpStatus, retryAfter, body }: Answer): TransmitOutcome {
  const json = readAnswerJson(body);
  if (httpStatus >= 200 && httpStatus < 300 && isRecord(json)) {
    const accepted = readAccepted(json);
    if (accepted !== undefined) return accepted;
  }
  return readFailure(httpStatus, json, retryAfter);
}

/** Undefined if the text is not JSON: what an unreadable answer means is decided by its HTTP status. */
export function readAnswerJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readAccepted(json: Record<string, unknown>): TransmitOutcome | undefined {
  const message = first(json.messages);
  const providerMessageId = message?.id;
  if (typeof providerMessageId !== 'string' || !PROVIDER_MESSAGE_ID.test(providerMessageId)) return undefined;
  const accepted = { kind: 'accepted', providerMessageId, held: HELD.has(message?.message_status) } as const;
  const providerUserId = first(json.contacts)?.user_id;
  const isUserId = typeof providerUserId === 'string' && USER_ID.test(providerUserId);
  return isUserId ? { ...accepted, providerUserId } : accepted;
}

function first(list: unknown): Record<string, unknown> | undefined {
  const item: unknown = Array.isArray(list) ? list[0] : undefined;
  return isRecord(item) ? item : undefined;
}
