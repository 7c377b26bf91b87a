import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { anyPath, anyQuery } from '../fuzz/queries.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  await gateway.call('POST', '/api/v1/messages/send', {
    body: { to: '+447700900901', type: 'text', text: { body: 'Hello' } },
  });
});
after(() => gateway.stop());

describe('whatever a path and its query hold', () => {
  it('the answer is 200 or an error of the caller', async () => {
    await fc.assert(
      fc.asyncProperty(anyPath, anyQuery, fc.boolean(), async (given, asked, byPlatform) => {
        const key = byPlatform ? gateway.platformKey : gateway.testKey;
        const answer = await gateway.call('GET', given + asked, { key });
        assert.ok(answer.status < 500, answer.text);
        if (answer.status !== 200) assertProblem(answer, answer.json.code);
      }),
      { numRuns: 400 },
    );
  });

  it('a content type that is none is refused as described, also where no body is expected', async () => {
    const path = '/platform/v1/keys/key_01h455vb4pex5vsknk084sn02q';
    const headers = { 'content-type': 'x' };
    const answer = await gateway.call('DELETE', path, { key: gateway.platformKey, body: 'x', headers });
    assertProblem(answer, 'unsupported_media_type');
  });
});
