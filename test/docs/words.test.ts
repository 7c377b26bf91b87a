import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AUDIT_ACTIONS } from '../../src/accounts/audit-store.ts';
import { EVENT_TYPES } from '../../src/events/event.ts';
import { MESSAGE_ERRORS } from '../../src/kernel/message-errors.ts';
import { SCOPES } from '../../src/kernel/principal.ts';
import { CONTENT_TYPES } from '../../src/messages/message.ts';
import { PROVIDER_CODES } from '../../src/provider/whatsapp/failures.ts';
import { read } from '../support/tree.ts';
import { firstColumn } from './first-column.ts';

describe('the tables of the pages', () => {
  it('have every type of event', () => {
    assert.deepEqual(
      firstColumn(read('docs/receiving-events.md')).filter(isEventType).toSorted(),
      [...EVENT_TYPES].toSorted(),
    );
  });

  it('have every type of content that can be sent', () => {
    const members = firstColumn(read('docs/sending.md'));
    for (const type of CONTENT_TYPES) assert.ok(members.includes(type), type);
  });

  it('have every scope of a key: where they are explained, and where a key is made', () => {
    const explained = firstColumn(read('docs/security.md')).filter((word) => /^[a-z]+:[a-z]+$/.test(word));
    assert.deepEqual(explained.toSorted(), [...SCOPES].toSorted());
    const [, made = ''] = /^- `scopes` are any of ([^.]+)\./m.exec(read('docs/platform.md')) ?? [];
    assert.deepEqual(made.match(/[a-z]+:[a-z]+/g), [...SCOPES]);
  });

  it('have every action of the audit log', () => {
    const [, log = ''] = read('docs/platform.md').split('\n## Audit log\n');
    assert.deepEqual(
      firstColumn(log)
        .filter((word) => word !== 'action')
        .toSorted(),
      [...AUDIT_ACTIONS].toSorted(),
    );
  });

  it('have the prefix of every kind of id that the API describes', () => {
    const prefixes = [...read('docs/openapi.json').matchAll(/"pattern": "\^([a-z]+_)/g)].map(
      ([, prefix = '']) => prefix,
    );
    const told = firstColumn(read('docs/api-promises.md')).filter((word) => /^[a-z]{3}_$/.test(word));
    assert.deepEqual(told.toSorted(), [...new Set(prefixes)].toSorted());
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

function isEventType(word: string): boolean {
  return /^[a-z]+\.[a-z]+$/.test(word);
}
