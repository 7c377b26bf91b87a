import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../support/tree.ts';
import { PAGES } from './blocks.ts';

/** How an idempotency key is given in a shell line and in JavaScript. */
const KEY = /Idempotency-Key: ([!-~]+?)['"]|idempotencyKey: '([^']+)'|--idempotency-key '?([!-&(-~]+)/gi;

describe('the samples of the pages', () => {
  it('have idempotency keys of their own: who pastes two of them within a day would be refused', () => {
    const places = new Map<string, string[]>();
    for (const page of [...PAGES, 'client/README.md'])
      for (const [place, block] of samplesOf(page).entries())
        for (const key of new Set(keysOf(block)))
          places.set(key, [...(places.get(key) ?? []), `${page}, block ${place + 1}`]);
    assert.ok(places.size > 3, `${places.size} were found`);
    assert.deepEqual(
      [...places].filter(([, blocks]) => blocks.length > 1),
      [],
    );
  });
});

function samplesOf(page: string): string[] {
  return read(page).match(/^```\S+\n[\s\S]*?^```$/gm) ?? [];
}

function keysOf(block: string): string[] {
  return [...block.matchAll(KEY)].map((found) => found.slice(1).find(Boolean) ?? '');
}
