import { anything, flag, list, nullable, number, record, text } from './decode.ts';

/** A customer of the platform. Only the operator sees the shapes in this file. */
export const account = record({ id: text, name: text, suspended: flag, created_at: text });

export const apiKey = record({
  id: text,
  name: text,
  mode: text,
  scopes: list(text),
  expires_at: nullable(text),
  /** Gateways of an older version do not tell it. */
  rolled_at: nullable(text),
  last_used_at: nullable(text),
  created_at: text,
});
export type ApiKey = ReturnType<typeof apiKey>;

/** Only this answer has the `key`. Nothing else of it is read: whatever else were missing, the key would be lost. */
export const mintedKey = record({ key: text });

export const platformChannel = record({
  id: text,
  mode: text,
  phone_number: text,
  name: nullable(text),
  default: flag,
  status: text,
  quality: nullable(text),
  throughput_per_second: number,
  messaging_limit: nullable(text),
  phone_number_id: text,
  business_account_id: text,
  updated_at: text,
});

export const notification = record({
  id: text,
  received_at: text,
  state: text,
  kinds: list(text),
  error: nullable(text),
  attempts: number,
});

export const auditEntry = record({
  id: text,
  at: text,
  account_id: nullable(text),
  actor: text,
  action: text,
  target: nullable(text),
  detail: anything,
});

/** `more`: whether there are more than were counted. */
const bounded = record({ count: number, more: flag });
export type Bounded = ReturnType<typeof bounded>;

/** Which nodes run, what waits, and since when. */
export const platformState = record({
  at: text,
  nodes: list(record({ id: text, host: text, started_at: text, lease_until: text, alive: flag })),
  notifications: record({ waiting: bounded, lag_ms: number, set_aside: bounded }),
  deliveries: record({ waiting: bounded, due: bounded, lag_ms: number }),
  requests: record({ running: bounded, oldest_at: nullable(text), to_recover: number }),
  statistics: record({ due: bounded, lag_ms: number }),
  database: record({ version: text, size_bytes: number, round_trip_ms: number }),
});
export type PlatformState = ReturnType<typeof platformState>;
