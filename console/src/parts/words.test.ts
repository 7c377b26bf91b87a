import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeQuality, explainLeftover } from './words.ts';

describe('what is left of a notification', () => {
  it('is explained for each of its reasons', () => {
    const text = explainLeftover('no_channel, unknown_message', 'set_aside');
    assert.match(text, /^No channel has this .* Its message is not known, and was waited for in vain\.$/);
  });

  it('was not waited for in vain while it still waits', () => {
    const text = explainLeftover('unknown_message', 'waiting');
    assert.match(text, /not known yet.* looked for again/);
    assert.doesNotMatch(text, /in vain/);
  });

  it('is a sentence for every reason that the gateway has, in either state', () => {
    for (const reason of ['unknown_message', 'locked', 'no_channel', 'undecodable', 'failed', 'not_json'])
      for (const state of ['waiting', 'set_aside'])
        assert.match(explainLeftover(reason, state), /^[A-Z].* .*\.$/, reason);
  });

  it('is told as it is where this console does not know the reason', () => {
    assert.equal(explainLeftover('odd_reason', 'set_aside'), 'odd reason');
    assert.equal(explainLeftover(null, 'applied'), '–');
  });
});

it('a quality that this console does not know is not taken for one that there is not yet', () => {
  for (const none of [null, 'unknown']) assert.match(describeQuality(none).meaning, /not rated it yet/);
  assert.deepEqual(describeQuality('violet'), { tone: 'plain', sign: '•', meaning: '', word: 'violet' });
});
