import assert from 'node:assert/strict';
import type { TestAnswer } from '../support/gateway.ts';
import type { Real } from './real.ts';

/** All that a list has, read by pages of at most this size. */
export async function readList(
  { gateway }: Real,
  key: string,
  path: string,
  limit: number,
): Promise<TestAnswer['json'][]> {
  const items = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${more}`;
    const answer = await gateway.call('GET', page, { key });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.json.data.length <= limit);
    items.push(...answer.json.data);
    cursor = answer.json.next_cursor;
  }
  return items;
}
