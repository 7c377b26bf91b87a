import { anything, type Decode, flag, list, nullable, number, record, text } from './decode.ts';

/** A page of any list. */
export function pageOf<Row>(row: Decode<Row>) {
  return record({ data: list(row), next_cursor: nullable(text) });
}

export const ownAccount = record({
  id: text,
  name: text,
  mode: text,
  key: record({ id: text, name: text, scopes: list(text), expires_at: nullable(text) }),
});
export type OwnAccount = ReturnType<typeof ownAccount>;

export const channel = record({
  id: text,
  mode: text,
  phone_number: text,
  name: nullable(text),
  default: flag,
  status: text,
  quality: nullable(text),
  throughput_per_second: number,
  messaging_limit: nullable(text),
  updated_at: text,
});
export type Channel = ReturnType<typeof channel>;

export const template = record({
  id: text,
  name: text,
  language: text,
  status: text,
  category: text,
  parameter_format: text,
  components: list(anything),
  quality: nullable(text),
  updated_at: text,
});
export type Template = ReturnType<typeof template>;

/**
 * The address as it is called: a letter of another script in its host's name, or a mark that turns around what follows, could make it look
 * like somebody else's.
 */
const calledUrl: Decode<string> = (value) => {
  const given = text(value);
  return URL.canParse(given) ? new URL(given).href : given;
};

export const endpoint = record({
  id: text,
  url: calledUrl,
  types: nullable(list(text)),
  description: nullable(text),
  enabled: flag,
  disabled_reason: nullable(text),
  created_at: text,
  updated_at: text,
});
export type Endpoint = ReturnType<typeof endpoint>;

export const attempt = record({
  id: text,
  event_id: text,
  type: text,
  number: number,
  at: text,
  outcome: text,
  http_status: nullable(number),
  error: nullable(text),
  duration_ms: nullable(number),
  answer: nullable(text),
  next_at: nullable(text),
});
export type Attempt = ReturnType<typeof attempt>;
