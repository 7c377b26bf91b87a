import { list, nullable, number, record, text } from './decode.ts';

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
