/**
 * Whether a row of messages is what the person has written since they were asked to be forgotten, the last time if that was more than
 * once. It is new and stays, as a later stop does. Walks meet it, because they begin again minutes after the first one, or days. Both
 * clocks must say so, the provider's and ours: then neither what the provider had held back is new, nor what one clock has wrong. The
 * provider tells whole seconds: what was written in the second of the request counts as written before it. `persons` and `askedAt` are
 * arrays side by side.
 */
export const saidSince = (persons: string, askedAt: string) => `(direction = 'inbound' and (
      select max(told.asked_at) from unnest(${persons}::text[], ${askedAt}::timestamptz[]) as told(name, asked_at)
      where told.name in (phone, user_id)) <= all(array[outcome_at, received_at]))`;
