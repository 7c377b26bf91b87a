import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptiedInbound, inboundMember } from './inbound-member.ts';

describe('the content of an inbound message', () => {
  it('stands in the member of its type wherever that is described so', () => {
    for (const content of [
      { body: 'Hello' },
      { body: 'Hello', preview_url: true },
      { group_id: 'G', errors: [{ code: 1 }] },
      { referral: {}, referred_product: {}, identity: {}, forwarded: true, frequently_forwarded: false },
      { more: 1 },
      {},
      null,
    ])
      assert.equal(inboundMember('text', content), 'text');
    for (const type of ['image', 'poll', 'content', 'toString']) assert.equal(inboundMember(type, 'x'), type);
  });

  it('stands in `content` where its type is another member, or its form is not the one described', () => {
    for (const content of [
      'Hello',
      7,
      true,
      [],
      { body: null },
      { body: 7 },
      { preview_url: 'yes' },
      { group_id: 7 },
      { errors: {} },
      { referral: 'an ad' },
      { referred_product: null },
      { identity: [] },
      { forwarded: 'yes' },
      { frequently_forwarded: 1 },
    ])
      assert.equal(inboundMember('text', content), 'content');
    for (const type of ['id', 'timeline', 'template']) assert.equal(inboundMember(type, {}), 'content');
  });

  it('is taken out wherever it stands, and nothing else with it', () => {
    assert.deepEqual(emptiedInbound({ type: 'text', text: { body: 'x' } }), { type: 'text', text: null });
    assert.deepEqual(emptiedInbound({ type: 'text', content: 'x' }), { type: 'text', content: null });
    assert.deepEqual(emptiedInbound({ id: '1', type: 'id', content: 'x' }), { id: '1', type: 'id', content: null });
    assert.deepEqual(emptiedInbound({ type: 'template', template: {} }), { type: 'template', template: null });
  });
});
