import assert from 'node:assert/strict';
import type { TestAnswer } from '../support/gateway.ts';

/** Codes with which the gateway itself refuses a template: there is a message, and it was not transmitted. */
const REFUSED_BY_US = ['template_not_found', 'template_not_approved', 'template_parameters_invalid'];

/** Asserts that a send's answer has an entry for every recipient. Returns how many transmits there must have been. */
export function assertAggregate({ json }: TestAnswer, given: string): number {
  const { to } = JSON.parse(given);
  const count = Array.isArray(to)
    ? to.length
    : to.split(/[,;\r\n\v\f\u0085\u2028\u2029]/).filter((piece: string) => piece.trim()).length;
  const entries: { status: string; id?: string; message_id?: string; error?: { code: string } }[] = json.results;
  assert.equal(entries.length, count);
  assert.equal(json.accepted_count + json.failed_count + json.unknown_count, count);
  for (const entry of entries) {
    assert.ok(['accepted', 'failed', 'unknown'].includes(entry.status));
    assert.equal(entry.error === undefined, entry.status === 'accepted');
    assert.equal(entry.message_id !== undefined, entry.status === 'accepted');
    const isMessage =
      !['invalid_recipient', 'duplicate_recipient'].includes(entry.error?.code ?? '') || hasProvider(entry);
    assert.equal(entry.id !== undefined, isMessage, JSON.stringify(entry));
  }
  const wasRefusedByUs = (entry: (typeof entries)[number]) =>
    REFUSED_BY_US.includes(entry.error?.code ?? '') && !hasProvider(entry);
  return entries.filter((entry) => entry.id !== undefined && !wasRefusedByUs(entry)).length;
}

function hasProvider({ error }: { error?: object }): boolean {
  return error !== undefined && 'provider' in error;
}
