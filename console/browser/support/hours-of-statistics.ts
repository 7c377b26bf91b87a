const HOUR_MS = 3_600_000;
const NOTHING = {
  ...{ accepted: 0, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0, received: 0 },
  to_delivery_ms: null,
};
const SOME = {
  ...{ accepted: 4, sent: 4, delivered: 3, read: 2, failed: 1, unknown: 0, received: 0 },
  to_delivery_ms: { p50: 900, p95: 2_000 },
};

/** Statistics of so many hours, in one of which messages went out. */
export function hoursOfStatistics(since: string, hours: number, busyHour: number) {
  const at = (hour: number) => new Date(Date.parse(since) + hour * HOUR_MS).toISOString();
  const buckets = Array.from({ length: hours }, (_, hour) => ({
    at: at(hour),
    ...(hour === busyHour ? SOME : NOTHING),
  }));
  return { since, until: at(hours), step: 'hour', computed_at: at(hours), totals: SOME, buckets, failures: [] };
}
