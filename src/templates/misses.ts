import type { SendingChannel } from '../channels/channels.ts';
import type { SteadyClock } from '../kernel/clock.ts';
import { createRemembered } from '../kernel/remember.ts';
import { keepReading, ownerOf, type Reading, type ReadingDeps, readName } from './sync.ts';

/** The provider is asked for one name of one business account at most so often, for all accounts that have it. */
const ASKED_EVERY_MS = 60_000;
const REMEMBERED_MAX = 10_000;

interface Deps extends ReadingDeps {
  clock: SteadyClock;
  /** Called when something was kept, before anybody who waits for it goes on. */
  onKept(miss: Miss): void;
}

/** The template that is missing, and the channel that it is to go out from. */
export interface Miss {
  channel: SendingChannel;
  name: string;
}

/**
 * Asks the provider for a template that is not known or not approved, and keeps what it says for the account of the channel.
 * False: it could not be asked, or the account was deleted.
 */
export function createMisses(deps: Deps): (miss: Miss) => Promise<boolean> {
  const { database, clock, onKept } = deps;
  const remembered = { believedMs: ASKED_EVERY_MS, entriesMax: REMEMBERED_MAX, clock };
  const readings = createRemembered({
    ...remembered,
    load: async (_key, { channel, name }: Miss) => ({
      reading: await readName(deps, channel, name),
      askedFor: channel.accountId,
    }),
  });
  /** Accounts that share a business account share its readings, and each keeps them once. */
  const kept = createRemembered({
    ...remembered,
    load: async (_key, { miss, reading }: { miss: Miss; reading: Reading }) => {
      const counts = await keepReading(database, ownerOf(miss.channel), reading);
      onKept(miss);
      return counts;
    },
  });

  async function read(key: string, miss: Miss): Promise<Reading | undefined> {
    const { accountId } = miss.channel;
    const { reading, askedFor } = await readings.get(key, miss);
    if (reading !== undefined || askedFor === accountId) return reading;
    // The other account's token may have been the reason, which must not keep this one from its templates.
    // Its id comes first: behind the name, which may have spaces in it, it would be a part of another name.
    return (await readings.get(`${accountId} ${key}`, miss)).reading;
  }

  return async (miss) => {
    const { accountId, sender, businessAccountId } = miss.channel;
    const key = `${sender.mode} ${businessAccountId} ${miss.name}`;
    const reading = await read(key, miss);
    if (reading === undefined) return false;
    return (await kept.get(`${key} ${accountId} ${reading.begunAt}`, { miss, reading })) !== undefined;
  };
}
