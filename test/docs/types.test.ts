import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVENT_TYPES } from '../../src/events/event.ts';
import { CONTENT_TYPES } from '../../src/messages/message.ts';
import { read } from '../support/tree.ts';

describe('the tables of the pages', () => {
  it('have every type of event', () => {
    assert.deepEqual(
      firstColumn('docs/receiving-events.md').filter(isEventType).toSorted(),
      [...EVENT_TYPES].toSorted(),
    );
  });

  it('have every type of content that can be sent', () => {
    const members = firstColumn('docs/sending.md');
    for (const type of CONTENT_TYPES) assert.ok(members.includes(type), type);
  });
});

/** The words in code in the first cells of the page's tables. */
function firstColumn(page: string): string[] {
  const cells = [...read(page).matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word));
}

function isEventType(word: string): boolean {
  return /^[a-z]+\.[a-z]+$/.test(word);
}
