import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { message } from './message.ts';

/** A message as the API answers it, but for its content. */
function received(type: string, content: Record<string, unknown>) {
  return {
    ...{ id: 'msg_1', request_id: null, channel_id: 'chn_1', direction: 'inbound', from: null, to: '+15550000001' },
    ...{ user_id: null, profile: null, type, reply_to: null, status: 'received', message_id: null, held: false },
    ...{ client_reference: null, error: null, created_at: '', updated_at: '' },
    ...content,
  };
}

describe('the content of a message', () => {
  it('is found also where the provider has named its type like another member', () => {
    assert.equal(message(received('image', { image: 'A' })).content, 'A');
    assert.equal(message(received('text', { content: 'A' })).content, 'A');
    assert.equal(message(received('status', { content: 'A' })).content, 'A');
    assert.equal(message(received('constructor', {})).content, undefined);
  });

  it('is null where it is gone, and undefined in an event, which does not tell it', () => {
    assert.equal(message(received('text', { text: null })).content, null);
    assert.equal(message(received('text', {})).content, undefined);
  });
});
