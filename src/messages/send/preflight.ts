import type { SendingChannel } from '../../channels/channels.ts';
import type { MessageError } from '../../kernel/message-errors.ts';
import { findStopped } from '../../people/preference-store.ts';
import type { CheckAgainstTemplate } from '../../provider/port.ts';
import type { Queryable } from '../../store/database.ts';
import type { TemplateRegistry } from '../../templates/registry.ts';
import type { Recipient, SendCommand } from '../parse/send-command.ts';

export interface PreflightDeps {
  database: Queryable;
  registry: TemplateRegistry;
  checkAgainstTemplate: CheckAgainstTemplate;
}

/** What keeps a message from being transmitted at all, as far as we can tell by ourselves; null: nothing. */
export type Preflight = (recipient: Recipient, place: number) => MessageError | null;

/** Looks at channel, template and people before anything is transmitted: for a send and for `validate` alike. */
export async function preflight(
  deps: PreflightDeps,
  channel: SendingChannel,
  command: SendCommand,
): Promise<Preflight> {
  if (channel.suspended) return () => ({ code: 'sender_suspended' });
  if (command.content.type !== 'template') return () => null;
  const { name, language, components: shared = [] } = command.content.template;
  const found = await deps.registry.lookUp(channel, name, language);
  if (found.kind === 'refused') return () => found.error;
  const { template } = found;
  const shape = { parameterFormat: template.parameter_format, components: template.components };
  const stopped = template.category === 'marketing' ? await whoStopped(deps, channel, command) : new Set();
  const sharedFaults = deps.checkAgainstTemplate(shape, shared, '#/template/components');
  return (recipient, place) => {
    if (stopped.has(recipient.to)) return { code: 'recipient_opted_out' };
    const own = recipient.kind === 'unreadable' ? undefined : recipient.components;
    const faults = own === undefined ? sharedFaults : deps.checkAgainstTemplate(shape, own, `#/to/${place}/components`);
    return faults.length === 0 ? null : { code: 'template_parameters_invalid', errors: faults };
  };
}

/** Who of the recipients has stopped marketing messages of this business account. */
function whoStopped({ database }: PreflightDeps, channel: SendingChannel, { recipients }: SendCommand) {
  const { accountId, businessAccountId, sender } = channel;
  const people = recipients.map(({ to }) => to);
  return findStopped(database, { accountId, mode: sender.mode, businessAccountId }, people);
}
