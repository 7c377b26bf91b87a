import { anything, flag, list, nullable, number, record, text } from './decode.ts';

/** What only the operator reads. */
export const account = record({ id: text, name: text, suspended: flag, created_at: text });

export const apiKey = record({
  id: text,
  name: text,
  mode: text,
  scopes: list(text),
  expires_at: nullable(text),
  last_used_at: nullable(text),
  created_at: text,
});
export type ApiKey = ReturnType<typeof apiKey>;

/** `key` is in this answer only. */
export const mintedKey = record({ id: text, name: text, mode: text, key: text });

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
