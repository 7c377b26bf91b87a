import type { MessageError } from '../kernel/message-errors.ts';
import type { MessageContent, TemplateComponent } from '../provider/port.ts';

/** What a send may hold: the content stands in the member of the same name. */
export const CONTENT_TYPES = ['text', 'template'] as const satisfies readonly MessageContent['type'][];
export type ContentType = (typeof CONTENT_TYPES)[number];

export function contentTypeOf(word: unknown): ContentType | undefined {
  return CONTENT_TYPES.find((type) => type === word);
}

/** What is known of an outbound message. An inbound one is `received`. */
export const MESSAGE_STATUSES = [
  'pending',
  'transmitting',
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'unknown',
  'received',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/**
 * A message on its way, packed into its request until its outcome is known: all that is needed to write its row.
 * `failed` ones are there when something kept them from being transmitted at all.
 */
export interface IntendedMessage {
  id: string;
  phone: string | null;
  user_id: string | null;
  client_reference: string | null;
  /** Whether the reference is the recipient's own, even if it equals the request's. */
  own_reference: boolean;
  components: TemplateComponent[] | null;
  /** `pending`: it waits for its turn, and has its own row from the start. */
  status: 'pending' | 'transmitting' | 'failed';
  error: MessageError | null;
}

/** Whom a message goes to, as limits and windows know them. */
export function personOf({ phone, user_id: userId }: IntendedMessage): string {
  return phone ?? userId ?? '';
}

/** What the send found out about a message. */
export interface Outcome {
  status: 'accepted' | 'failed' | 'unknown';
  providerMessageId: string | null;
  /** The business-scoped id that the provider told of the person, if it did. */
  userId: string | null;
  held: boolean;
  error: MessageError | null;
  at: Date;
}

/** An entry of the answer that never became a message: where it stands, and why. */
export interface RefusedEntry {
  place: number;
  to: string;
  user_id?: string;
  client_reference?: string;
  error: MessageError;
}
