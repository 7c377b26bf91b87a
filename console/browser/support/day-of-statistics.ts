const HOUR_MS = 3_600_000;

/** Statistics as a bookshop might have them for one day: quiet at night, busy before noon and in the evening. */
export function dayOfStatistics(nowMs: number) {
  const untilMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  const buckets = Array.from({ length: 24 }, (_, place) => bucketOf(untilMs - (24 - place) * HOUR_MS, place));
  const sum = (name: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | 'unknown' | 'received') =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  const failed = sum('failed');
  return {
    since: new Date(untilMs - 24 * HOUR_MS).toISOString(),
    until: new Date(untilMs).toISOString(),
    step: 'hour',
    computed_at: new Date(nowMs).toISOString(),
    totals: {
      ...{ accepted: sum('accepted'), sent: sum('sent'), delivered: sum('delivered'), read: sum('read') },
      ...{ failed, unknown: sum('unknown'), received: sum('received') },
      to_delivery_ms: { p50: 1_840, p95: 9_600 },
    },
    buckets,
    failures: [
      { code: 'recipient_unreachable', count: Math.ceil(failed * 0.55) },
      { code: 'marketing_limited', count: Math.floor(failed * 0.3) },
      { code: 'window_closed', count: failed - Math.ceil(failed * 0.55) - Math.floor(failed * 0.3) },
    ],
  };
}

function bucketOf(atMs: number, place: number) {
  const hour = new Date(atMs).getUTCHours();
  const bell = (noon: number, width: number) => Math.exp(-(((hour - noon) / width) ** 2));
  const accepted = Math.round(12 + 420 * bell(10, 2.2) + 260 * bell(18, 2.6) + 9 * Math.sin(place * 2.1));
  const delivered = Math.round(accepted * (0.955 + 0.02 * Math.sin(place)));
  return {
    at: new Date(atMs).toISOString(),
    ...{ accepted, sent: accepted - 1, delivered, read: Math.round(delivered * (0.71 + 0.06 * Math.sin(place * 1.7))) },
    ...{ failed: Math.round(accepted * 0.022), unknown: place % 11 === 0 ? 1 : 0, received: Math.round(accepted / 9) },
    to_delivery_ms: {
      p50: Math.round(1_500 + 500 * Math.sin(place / 3) + accepted),
      p95: Math.round(7_000 + 1_900 * Math.sin(place / 2) + 5 * accepted),
    },
  };
}
