import type { SendingChannel } from '../channels/channels.ts';
import type { MessageError } from '../kernel/message-errors.ts';
import { findStopped } from '../people/store.ts';
import type { Queryable } from '../store/database.ts';
import type { Templates } from '../templates/templates.ts';
import type { Recipient, SendCommand } from './send-command.ts';

export interface PreflightDeps {
  database: Queryable;
  templates: Templates;
}

/** What keeps a message from being transmitted at all, as far as we can tell by ourselves; null: nothing. */
export type Preflight = (recipient: Recipient) => MessageError | null;

/** Looks at the channel and the people before anything is transmitted: for a send and for `validate` alike. */
export async function preflight(
  deps: PreflightDeps,
  channel: SendingChannel,
  command: SendCommand,
): Promise<Preflight> {
  if (channel.suspended) return () => ({ code: 'sender_suspended' });
  const optedOut = await findOptedOut(deps, channel, command);
  return ({ to }) => (optedOut.has(to) ? { code: 'recipient_opted_out' } : null);
}

/**
 * Who of the recipients has stopped marketing, if this is a marketing template. The template's category is asked for only
 * if somebody has stopped anything; where it cannot be learned, the provider itself refuses what it must.
 */
async function findOptedOut(
  { database, templates }: PreflightDeps,
  channel: SendingChannel,
  { content, recipients }: SendCommand,
): Promise<ReadonlySet<string>> {
  if (content.type !== 'template') return new Set();
  const people = recipients.map(({ to }) => to);
  const stopped = await findStopped(database, channel.accountId, channel.businessAccountId, people);
  if (stopped.size === 0) return stopped;
  const template = await templates.find(channel, content.template.name, content.template.language);
  return template?.category === 'marketing' ? stopped : new Set();
}
