import type { EventDraft } from '../events/event.ts';
import { formatId } from '../kernel/ids.ts';
import type { ChannelRow } from './store.ts';

/** The provider allows every number this much until it reports more. */
export const THROUGHPUT_PER_SECOND = 80;

/** A channel as its account reads it. */
export function presentChannel(row: ChannelRow) {
  return {
    id: formatId('chn', row.id),
    mode: row.mode,
    phone_number: row.phone_number,
    name: row.name,
    default: row.is_default,
    status: row.status,
    quality: row.quality,
    throughput_per_second: row.throughput_per_second ?? THROUGHPUT_PER_SECOND,
    messaging_limit: row.messaging_limit,
    updated_at: row.updated_at.toISOString(),
  };
}

/** The platform sees the provider's ids too; the access token never comes back out. */
export function presentForPlatform(row: ChannelRow) {
  return {
    ...presentChannel(row),
    account_id: row.account_id,
    phone_number_id: row.phone_number_id,
    business_account_id: row.business_account_id,
    created_at: row.created_at.toISOString(),
  };
}

/** Why the provider limits a business account, or that it stopped, in its own words in lower case. */
export interface Restriction {
  event: string;
  restrictions: { type: string; until: string | null }[];
  ban: { state: string; date: string | null } | null;
  violation: string | null;
}

/** Tells a channel's account how it is now; `restriction` only where the provider has just told of one. */
export function channelEvent(row: ChannelRow, restriction?: Restriction): EventDraft {
  const channel = { ...presentChannel(row), ...(restriction !== undefined && { restriction }) };
  return { accountId: row.account_id, mode: row.mode, type: 'channel.updated', data: { channel }, traceparent: null };
}
