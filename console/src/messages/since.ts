export const SPANS = [
  { value: '900', words: '15 minutes' },
  { value: '3600', words: '1 hour' },
  { value: '86400', words: '24 hours' },
  { value: '604800', words: '7 days' },
];

/** The beginning of a span that ends now; empty for the empty span. */
export function sinceOf(seconds: string): string {
  return seconds === '' ? '' : new Date(Date.now() - Number(seconds) * 1_000).toISOString();
}
