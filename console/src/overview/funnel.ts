import type { Totals } from '../api/statistics.ts';

export interface Stage {
  label: string;
  meaning: string;
  tone: string;
  count: number;
  /**
   * In percent of the accepted messages. null if there are none, or if the stage also has messages that were refused and so never accepted.
   */
  percent: number | null;
}

/** How far the messages of a range have come. Each stage includes the messages of the next one. */
export function funnelOf({ accepted, sent, delivered, read, failed, unknown }: Totals): Stage[] {
  const percentOf = (count: number) => (accepted === 0 ? null : (count / accepted) * 100);
  const stages = [
    { label: 'Accepted', meaning: 'The provider took them.', tone: 'accepted', count: accepted },
    { label: 'Sent', meaning: 'The provider has sent them on.', tone: 'accepted', count: sent },
    { label: 'Delivered', meaning: "They are on people's devices.", tone: 'delivered', count: delivered },
    { label: 'Read', meaning: 'People have read them.', tone: 'read', count: read },
  ].map((stage) => ({ ...stage, percent: percentOf(stage.count) }));
  const others = [
    { label: 'Failed', meaning: 'They were refused, or did not arrive.', tone: 'failed', count: failed },
    { label: 'Unknown', meaning: 'Whether they were taken is not known.', tone: 'unknown', count: unknown },
  ].map((other) => ({ ...other, percent: null }));
  return [...stages, ...others];
}
