import type { Mode } from '../kernel/principal.ts';
import type { Queryable } from '../store/database.ts';
import { type ChannelTarget, listChannelsByNumberId, listChannelsOfBusinesses } from './store.ts';

/** The channels that the notifications of a batch are for, among those of one mode. */
export interface ChannelTargets {
  byNumberId(phoneNumberId: string, mode: Mode): ChannelTarget | undefined;
  ofBusiness(businessAccountId: string, mode: Mode): ChannelTarget[];
}

/** What the notifications of a batch name, each as often as they do. */
export interface NamedByProvider {
  phoneNumberIds: readonly string[];
  businessAccountIds: readonly string[];
}

/**
 * Finds them all at once, in the transaction that applies the batch. Nothing is remembered from one batch to the next: a
 * number may have moved to another account meanwhile, and nothing of it may reach the one before.
 */
export async function findChannelTargets(
  tx: Queryable,
  { phoneNumberIds, businessAccountIds }: NamedByProvider,
): Promise<ChannelTargets> {
  const numbers = await findEach(phoneNumberIds, (ids) => listChannelsByNumberId(tx, ids));
  const businesses = await findEach(businessAccountIds, (ids) => listChannelsOfBusinesses(tx, ids));
  const byNumberId = new Map(numbers.map((target) => [target.phone_number_id, target]));
  const byBusiness = Map.groupBy(businesses, (target) => target.business_account_id);
  return {
    byNumberId(phoneNumberId, mode) {
      const target = byNumberId.get(phoneNumberId);
      return target?.mode === mode ? target : undefined;
    },
    ofBusiness: (businessAccountId, mode) =>
      byBusiness.get(businessAccountId)?.filter((target) => target.mode === mode) ?? [],
  };
}

/** Most batches name numbers only, and then nothing is asked about business accounts. */
async function findEach(
  ids: readonly string[],
  list: (ids: readonly string[]) => Promise<ChannelTarget[]>,
): Promise<ChannelTarget[]> {
  return ids.length === 0 ? [] : list([...new Set(ids)]);
}
