import { after, before, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertProblem } from '../support/problem.ts';

const ACCOUNT = '/platform/v1/accounts/01890a5d-ac96-774b-bcce-b302099a8057';
const ENDPOINT = '/api/v1/endpoints/end_01h455vb4pex5vsknk084sn02q';
/** Every call that names something by its id and may have a wrong body, with such a body. There is nothing of these ids. */
const CALLS: [method: string, path: string, body: unknown][] = [
  ['PATCH', ENDPOINT, { url: 'nowhere' }],
  ['POST', `${ENDPOINT}/rotate-secret`, { overlap_seconds: -1 }],
  ['POST', `${ENDPOINT}/test`, { bogus: true }],
  ['POST', `${ENDPOINT}/replay`, {}],
  ['POST', `${ENDPOINT}/check-signature`, {}],
  ['PATCH', ACCOUNT, { name: '' }],
  ['POST', `${ACCOUNT}/keys`, { name: 'Old', mode: 'test', expires_at: '2020-01-01T00:00:00Z' }],
  ['POST', `${ACCOUNT}/channels`, {}],
  ['POST', `${ACCOUNT}/erase`, {}],
  ['POST', `${ACCOUNT}/erase`, { to: '+447700900123', user_id: 'GB.abc123' }],
  ['POST', '/platform/v1/keys/key_01h455vb4pex5vsknk084sn02q/roll', { overlap_seconds: -1 }],
  ['PATCH', '/platform/v1/channels/chn_01h455vb4pex5vsknk084sn02q', { display_phone_number: '0770' }],
  ['POST', '/platform/v1/notifications/ntf_01h455vb4pex5vsknk084sn02q/reprocess', { bogus: true }],
];

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

describe('a body that is not valid', () => {
  for (const [method, path, body] of CALLS)
    it(`is told before an id that leads nowhere: ${method} ${path} ${JSON.stringify(body)}`, async () => {
      const key = path.startsWith('/platform/') ? gateway.platformKey : gateway.testKey;
      assertProblem(await gateway.call(method, path, { key, body }), 'invalid_request');
    });
});
