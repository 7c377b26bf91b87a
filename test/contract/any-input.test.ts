import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { routesAsData } from '../../src/routes-as-data.ts';
import { assertAggregate } from '../fuzz/assert-aggregate.ts';
import { anyPath, anyQuery } from '../fuzz/queries.ts';
import { sendBody } from '../fuzz/send-body.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';
import { queryMembersOf, STREAM } from '../support/routes.ts';
import { transmitsOf } from '../support/transmits.ts';

const RUNS = 150;
/** What a filter may be given that reads times, numbers, ids and words. */
const STRANGE = [
  ...['x', ' ', '0', '-1', '1e999', '9'.repeat(400), '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'],
  ...['NULL', "'", '%', '\u{1f4a5}', 'A'.repeat(22), '00000000-0000-0000-0000-00000000000G', '+15550000000000000'],
  ...['msg_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'evt_00000000000000000000000000'],
];

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

describe('whatever the body of a send is', () => {
  it('the answer is an error that stored and sent nothing, or has an entry for every recipient', async () => {
    let [requests, transmits, answered] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(sendBody, async (given) => {
        const answer = await gateway.call('POST', '/api/v1/messages/send', { body: given });
        if (answer.status === 200) {
          answered += 1;
          requests += 1;
          transmits += assertAggregate(answer, given);
        } else {
          assert.ok(answer.status < 500, answer.text);
          assertProblem(answer, answer.json.code);
        }
        assert.equal(await countRequests(), requests);
        assert.equal((await transmitsOf(gateway.sandbox)).length, transmits);
      }),
      { numRuns: RUNS },
    );
    assert.ok(answered > RUNS / 20, `only ${answered} of ${RUNS} bodies were sends`);
    const [stored] = await gateway.database.query<{ count: number }>('select count(*)::integer as count from message');
    assert.ok((stored?.count ?? 0) >= transmits);
  });
});

describe('whatever a path and its query hold', () => {
  it('the answer is 200 or an error of the caller', async () => {
    await gateway.call('POST', '/api/v1/messages/send', {
      body: { to: '+447700900901', type: 'text', text: { body: 'Hello' } },
    });
    await fc.assert(
      fc.asyncProperty(anyPath, anyQuery, fc.boolean(), async (given, asked, byPlatform) => {
        const key = byPlatform ? gateway.platformKey : gateway.testKey;
        const answer = await gateway.call('GET', given + asked, { key });
        assert.ok(answer.status < 500, answer.text);
        if (answer.status !== 200) assertProblem(answer, answer.json.code);
      }),
      { numRuns: 200 },
    );
  });

  it('the answer is such on every route that has a query, whatever any member of it holds', async () => {
    const { json: endpoint } = await gateway.call('POST', '/api/v1/endpoints', {
      body: { url: 'https://example.com/' },
    });
    const calls = routesAsData().flatMap((route) =>
      queryMembersOf(route).flatMap((member) => STRANGE.map((value) => ({ ...route, query: { [member]: value } }))),
    );
    assert.ok(calls.length > 500, `${calls.length} calls`);
    for (const { method, path, access, query } of calls) {
      if (path === STREAM) continue;
      const [key, id] =
        access.by === 'platform' ? [gateway.platformKey, gateway.accountId] : [gateway.testKey, endpoint.id];
      const asked = `${path.replace(':id', id)}?${new URLSearchParams(query)}`;
      const { status, text } = await gateway.call(method, asked, { key });
      assert.ok(status === 200 || status === 422, `${method} ${asked}: ${status} ${text}`);
    }
  });

  it('a content type that is none is refused as described, also where no body is expected', async () => {
    const path = '/platform/v1/keys/key_01h455vb4pex5vsknk084sn02q';
    const headers = { 'content-type': 'x' };
    const answer = await gateway.call('DELETE', path, { key: gateway.platformKey, body: 'x', headers });
    assertProblem(answer, 'unsupported_media_type');
  });
});

async function countRequests(): Promise<number> {
  const [row] = await gateway.database.query<{ count: number }>('select count(*)::integer as count from request');
  return row?.count ?? 0;
}
