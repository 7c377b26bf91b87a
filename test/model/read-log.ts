import assert from 'node:assert/strict';
import type { Real } from './real.ts';

export interface ShownEvent {
  id: string;
  sequence: number;
  type: string;
  data: { message?: { id: string } };
}

/** All events that a key sees, read by pages of this size. Asserts that no number is missing. */
export async function readLog({ gateway }: Real, key: string, limit: number): Promise<ShownEvent[]> {
  const all: ShownEvent[] = [];
  for (;;) {
    const { json } = await gateway.call('GET', `/api/v1/events?after=${all.length}&limit=${limit}`, { key });
    const page: ShownEvent[] = json.data;
    assert.ok(page.length <= limit);
    for (const [place, { sequence }] of page.entries()) assert.equal(sequence, all.length + place + 1);
    all.push(...page);
    if (page.length > 0) continue;
    assert.equal(json.latest_sequence, all.length);
    return all;
  }
}

/** Whether the model knows of such events. */
export function isModelled({ type }: ShownEvent): boolean {
  return !/^(template|channel)\./.test(type);
}
