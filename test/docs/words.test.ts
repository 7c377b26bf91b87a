import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVENT_TYPES } from '../../src/events/event.ts';
import { MESSAGE_ERRORS } from '../../src/kernel/message-errors.ts';
import { CONTENT_TYPES } from '../../src/messages/message.ts';
import { PROVIDER_CODES } from '../../src/provider/whatsapp/failures.ts';
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

describe('the page of repeating', () => {
  it('names every code of the provider after which the gateway transmits again', () => {
    const [, told = ''] = read('docs/idempotency.md').split('\n## What Waypost tries again by itself\n');
    const codes = PROVIDER_CODES.map(([code]) => code).filter((code) => MESSAGE_ERRORS[code].retryable);
    assert.ok(codes.length > 0);
    for (const code of codes) assert.ok(told.includes(`\`${code}\``), code);
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
