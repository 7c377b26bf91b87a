import type { SteadyClock } from '../kernel/clock.ts';
import type { Mode } from '../kernel/principal.ts';
import { createRemembered } from '../kernel/remember.ts';
import type { Queryable } from '../store/database.ts';
import { type ChannelTarget, findChannelByNumberId, listChannelsOfBusiness } from './store.ts';

/** A channel that was connected or removed is seen after this time at the latest. */
const BELIEVED_MS = 1_500;
const REMEMBERED_MAX = 10_000;

/** Finds the channels that a notification is for, among those of one mode. */
export interface ChannelTargets {
  byNumberId(phoneNumberId: string, mode: Mode): Promise<ChannelTarget | undefined>;
  ofBusiness(businessAccountId: string, mode: Mode): Promise<ChannelTarget[]>;
}

export function createChannelTargets(database: Queryable, clock: SteadyClock): ChannelTargets {
  const limits = { believedMs: BELIEVED_MS, entriesMax: REMEMBERED_MAX, clock };
  const numbers = createRemembered({ load: (id) => findChannelByNumberId(database, id), ...limits });
  const businesses = createRemembered({ load: (id) => listChannelsOfBusiness(database, id), ...limits });
  return {
    async byNumberId(phoneNumberId, mode) {
      const target = await numbers.get(phoneNumberId);
      // A number that nobody has may be connected in the next moment: that must not be believed for long.
      if (target === undefined) numbers.forget(phoneNumberId);
      return target?.mode === mode ? target : undefined;
    },
    async ofBusiness(businessAccountId, mode) {
      const targets = await businesses.get(businessAccountId);
      if (targets.length === 0) businesses.forget(businessAccountId);
      return targets.filter((target) => target.mode === mode);
    },
  };
}
