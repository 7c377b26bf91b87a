import type { SendingChannel } from '../channels/channels.ts';
import type { Clock } from '../kernel/clock.ts';
import { createRemembered } from '../kernel/remember.ts';
import type { Provider, ProviderTemplate } from '../provider/port.ts';

/** The provider is asked for one name of one business account at most so often. */
const ASKED_EVERY_MS = 60_000;
const REMEMBERED_MAX = 10_000;

export interface Templates {
  /** The template of that name and language; undefined if there is none or the provider could not be asked. */
  find(channel: SendingChannel, name: string, language: string): Promise<ProviderTemplate | undefined>;
}

export function createTemplates(provider: Provider, clock: Clock): Templates {
  const remembered = createRemembered({
    load: (_key: string, { channel, name }: { channel: SendingChannel; name: string }) =>
      provider.findTemplates(channel.sender, channel.businessAccountId, name),
    believedMs: ASKED_EVERY_MS,
    entriesMax: REMEMBERED_MAX,
    clock,
  });
  return {
    async find(channel, name, language) {
      const outcome = await remembered.get(`${channel.sender.mode} ${channel.businessAccountId} ${name}`, {
        channel,
        name,
      });
      if (outcome.kind === 'unavailable') return undefined;
      return outcome.templates.find((template) => template.language === language);
    },
  };
}
