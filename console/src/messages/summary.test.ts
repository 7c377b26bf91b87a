import assert from 'node:assert/strict';
import { it } from 'node:test';
import { wordsOf } from './summary.ts';

it('the words of a person are those that they wrote, or that stand on what they pressed', () => {
  const words: [string, unknown, string][] = [
    ['text', { body: 'Hello' }, 'Hello'],
    ['button', { text: 'No more offers', payload: 'STOP' }, 'No more offers'],
    ['interactive', { type: 'list_reply', list_reply: { id: 'l', title: 'Large' } }, 'Large'],
    ['interactive', { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } }, 'Yes'],
    ['document', { caption: 'My ticket', filename: 'a.pdf' }, 'My ticket'],
    ['reaction', { message_id: '1', emoji: '👍' }, '👍'],
    // Nobody has written these.
    ['system', { body: 'User A changed' }, ''],
    ['interactive', { type: 'nfm_reply', nfm_reply: { body: 'Sent' } }, ''],
    ['reaction', { message_id: '1' }, ''],
    ['image', { id: '1', caption: 7 }, ''],
    ['interactive', { type: 'list_reply', list_reply: null }, ''],
    ['text', null, ''],
    ['constructor', { name: 'x' }, ''],
  ];
  for (const [type, content, expected] of words) assert.equal(wordsOf({ type, content }), expected, type);
});
