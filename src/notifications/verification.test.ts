import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestAnswer, type TestGateway } from '../../test/support/gateway.ts';
import { CALLBACK_PATH } from '../../test/support/notifications.ts';
import { assertProblem } from '../../test/support/problem.ts';

const RIGHT = 'hub.mode=subscribe&hub.verify_token=second-token&hub.challenge=1158201444';

describe("the provider's verification request", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ settings: { WAYPOST_VERIFY_TOKENS: 'first-token,second-token,drítte token' } });
  });
  after(() => gateway.stop());

  const ask = (query: string): Promise<TestAnswer> => gateway.call('GET', `${CALLBACK_PATH}?${query}`, { key: null });

  it('is answered with the challenge as plain text, under every valid token', async () => {
    for (const query of [RIGHT, RIGHT.replace('second', 'first'), `${RIGHT}&anything=else`]) {
      const { status, headers, text } = await ask(query);
      assert.equal(status, 200);
      assert.equal(text, '1158201444');
      assert.match(headers.get('content-type') ?? '', /^text\/plain/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('gets its challenge back byte for byte', async () => {
    for (const challenge of ['<b>x</b>', '0', 'é\u{1F600} +&=', '00123', ' ']) {
      const { status, text } = await ask(RIGHT.replace('1158201444', encodeURIComponent(challenge)));
      assert.equal(status, 200);
      assert.equal(text, challenge);
    }
  });

  it('gets back what is no text as well, and a token that is not ASCII is the same in every coding of it', async () => {
    const query = RIGHT.replace('1158201444', '%FF%c3(%zz%').replace('second-token', 'dr%C3%ADtte+token');
    const answer = await fetch(`${gateway.url}${CALLBACK_PATH}?${query}`);
    assert.equal(answer.status, 200);
    assert.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1'), '\xff\xc3(%zz%');
  });

  it('is refused in every other form, and the token is not told', async () => {
    const wrong = [
      '',
      RIGHT.replace('subscribe', 'unsubscribe'),
      RIGHT.replace('subscribe', 'SUBSCRIBE'),
      RIGHT.replace('hub.mode=subscribe&', ''),
      RIGHT.replace('&hub.verify_token=second-token', ''),
      RIGHT.replace('second-token', ''),
      RIGHT.replace('second-token', 'second-toke'),
      RIGHT.replace('second-token', 'second-tokens'),
      RIGHT.replace('second-token', 'first-token,second-token'),
      RIGHT.replace('&hub.challenge=1158201444', ''),
      RIGHT.replace('1158201444', ''),
      `${RIGHT}&hub.challenge=1158201444`,
      `${RIGHT}&hub.verify_token=second-token`,
      `${RIGHT}&hub.mode=subscribe`,
      RIGHT.replaceAll('hub.', 'hub_'),
      RIGHT.replaceAll('hub.', 'HUB.'),
    ];
    for (const query of wrong) {
      const answer = await ask(query);
      assertProblem(answer, 'verification_failed');
      assert.doesNotMatch(answer.text, /(first|second)-token/, query);
      assert.doesNotMatch(answer.text, /1158201444/, query);
    }
  });

  it('is refused also where the query holds what no text may hold', async () => {
    for (const query of [RIGHT.replace('1158201444', '%00'), `${RIGHT}&x=%00`.replace('second', 'wrong')])
      assertProblem(await ask(query), 'verification_failed');
  });

  it('has no other methods than GET and POST', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await gateway.call(method, CALLBACK_PATH, { key: null });
      assertProblem(answer, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), 'GET, POST');
    }
  });
});
