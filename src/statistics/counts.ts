/** What is counted of a set of messages. docs/statistics.md says what each member means. */
export interface Counts {
  accepted: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  unknown: number;
  received: number;
  /** The failed ones by their code. */
  failures: Record<string, number>;
  /** The delivered ones by the class of their time; see delivery-times.ts. */
  deliveryTimes: number[];
}

const NUMBERS = ['accepted', 'sent', 'delivered', 'read', 'failed', 'unknown', 'received'] as const;

export function noCounts(): Counts {
  const numbers = { accepted: 0, sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0, received: 0 };
  return { ...numbers, failures: {}, deliveryTimes: [] };
}

/** Adds `more` to `sum`. */
export function addCounts(sum: Counts, more: Counts): void {
  for (const name of NUMBERS) sum[name] += more[name];
  for (const [code, count] of Object.entries(more.failures)) sum.failures[code] = (sum.failures[code] ?? 0) + count;
  for (const [place, count] of more.deliveryTimes.entries()) addTime(sum.deliveryTimes, place, count);
}

/** Messages that are alike in all that is counted. */
export interface MessageGroup {
  status: string;
  /** Whether the provider has taken them, whatever became of them. */
  taken: boolean;
  /** Of the failed ones; null for all others. */
  code: string | null;
  /** The class of their time to delivery. */
  time: number | null;
  count: number;
}

/** Adds messages to `sum`. A message counts for every stage that it has reached by its status. */
export function addGroup(sum: Counts, { status, taken, code, time, count }: MessageGroup): void {
  if (taken) sum.accepted += count;
  if (status === 'sent' || status === 'delivered' || status === 'read') sum.sent += count;
  if (status === 'delivered' || status === 'read') sum.delivered += count;
  if (status === 'read' || status === 'unknown' || status === 'received' || status === 'failed') sum[status] += count;
  if (code !== null) sum.failures[code] = (sum.failures[code] ?? 0) + count;
  if (time !== null) addTime(sum.deliveryTimes, time, count);
}

/** The array has no holes and ends with a class that counts something. */
function addTime(times: number[], place: number, count: number): void {
  while (times.length <= place) times.push(0);
  times[place] = (times[place] ?? 0) + count;
}
