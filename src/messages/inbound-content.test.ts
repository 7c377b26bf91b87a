import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentMembers } from './content-schemas.ts';
import { emptiedInbound, inboundMembers, storedInbound } from './inbound-content.ts';
import { messageSchemas } from './schemas.ts';

const PROFILE = { name: 'Zoë Example', username: 'zoe.example' };

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
      assert.deepEqual(inboundMembers('text', content), { profile: null, text: content });
    for (const type of ['image', 'poll', 'content', 'toString'])
      assert.deepEqual(inboundMembers(type, 'x'), { profile: null, [type]: 'x' });
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
      assert.deepEqual(inboundMembers('text', content), { profile: null, content });
    const { properties } = Object(messageSchemas.MessageWithTimeline);
    const others = Object.keys(properties).filter((member) => !Object.hasOwn(contentMembers, member));
    for (const type of [...others, 'template', 'profile'])
      assert.deepEqual(inboundMembers(type, { a: 1 }), { profile: null, content: { a: 1 } });
  });

  it('is stored with the profile of the sender, and told beside it as the provider sent it', () => {
    for (const content of [{ body: 'Hello' }, { body: 'Hello', profile: 'of its own' }, {}])
      assert.deepEqual(inboundMembers('text', storedInbound(content, PROFILE)), { profile: PROFILE, text: content });
    assert.deepEqual(storedInbound({ body: 'Hello' }, undefined), { body: 'Hello' });
    for (const list of [[{ name: 'Ada' }], null]) assert.equal(storedInbound(list, PROFILE), list);
  });

  it('is taken out wherever it stands, with the profile of the sender, and nothing else with it', () => {
    const message = { type: 'text', text: { body: 'x' }, profile: PROFILE };
    assert.deepEqual(emptiedInbound(message), { type: 'text', text: null, profile: null });
    assert.deepEqual(emptiedInbound({ type: 'text', text: { body: 'x' } }), { type: 'text', text: null });
    assert.deepEqual(emptiedInbound({ type: 'text', content: 'x' }), { type: 'text', content: null });
    assert.deepEqual(emptiedInbound({ id: '1', type: 'id', content: 'x' }), { id: '1', type: 'id', content: null });
    assert.deepEqual(emptiedInbound({ type: 'template', template: {} }), { type: 'template', template: null });
  });
});
