import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMessageError, presentMessageError } from './message-errors.ts';

describe('a stored failure', () => {
  it('is told although a later version has stored it, with a code that is not known here', () => {
    const stored: unknown = JSON.parse('{"code": "sender_paused", "provider": {"code": 131099}}');
    assert.ok(isMessageError(stored));
    const { message, action, ...told } = presentMessageError(stored, 'https://docs.example');
    assert.deepEqual(told, {
      code: 'sender_paused',
      fault: 'provider',
      retryable: false,
      provider: { code: 131099 },
      doc_url: 'https://docs.example/sender_paused',
    });
    for (const words of [message, action]) assert.match(words, /^[A-Z].*[a-z]/);
  });
});
