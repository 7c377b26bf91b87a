import type { MessageContent, TemplateComponent } from '../../provider/port.ts';

/** One recipient of a send, read. `to` is what the answer's entry repeats. */
export type Recipient =
  | { kind: 'phone'; to: string; clientReference?: string; components?: TemplateComponent[] }
  | { kind: 'user_id'; to: string; clientReference?: string; components?: TemplateComponent[] }
  /** A text that is no number and no user id: it gets its failed entry, and the others are sent. `detail` says more than the table. */
  | { kind: 'unreadable'; to: string; detail: string; clientReference?: string };

/** A send whose form has been checked. */
export interface SendCommand {
  content: MessageContent;
  recipients: Recipient[];
  from?: string;
  clientReference?: string;
}
