import { flag, list, nullable, number, record, text } from './decode.ts';

const counts = {
  ...{ accepted: number, sent: number, delivered: number, read: number },
  ...{ failed: number, unknown: number, received: number },
  to_delivery_ms: nullable(record({ p50: number, p95: number })),
};

const totals = record(counts);
export type Totals = ReturnType<typeof totals>;

const bucket = record({ at: text, ...counts });
export type Bucket = ReturnType<typeof bucket>;

/** What became of the account's messages, by minute, hour or day. */
export const statistics = record({
  since: text,
  until: text,
  step: text,
  computed_at: nullable(text),
  totals,
  buckets: list(bucket),
  failures: list(record({ code: text, count: number })),
});
export type Statistics = ReturnType<typeof statistics>;

/** `more`: there are more than were counted. */
const bounded = record({ count: number, more: flag });
export type Bounded = ReturnType<typeof bounded>;

/** Who runs, what waits, and since when. */
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
