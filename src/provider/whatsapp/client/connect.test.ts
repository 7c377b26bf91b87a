import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callWith, http, SENDER } from './test-servers.ts';

const NUMBER = http(
  200,
  JSON.stringify({
    id: '1055',
    verified_name: 'Parcels',
    quality_rating: 'GREEN',
    throughput: { level: 'HIGH' },
    whatsapp_business_manager_messaging_limit: 'TIER_2K',
  }),
);
const NO_APPS = http(200, '{"data":[]}');
const SUBSCRIBED = http(200, '{"success":true}');

describe('connect', () => {
  it('asks for the number, subscribes our app and tells the facts', async () => {
    const { outcome, lines } = await connectTo([NUMBER, NO_APPS, SUBSCRIBED]);
    assert.deepEqual(outcome, {
      kind: 'connected',
      facts: { name: 'Parcels', quality: 'green', throughputPerSecond: 1_000, messagingLimit: 'tier_2k' },
    });
    assert.deepEqual(lines, [
      'GET /v25.0/1055?fields=id,verified_name,quality_rating,throughput,is_on_biz_app,whatsapp_business_manager_messaging_limit HTTP/1.1',
      'GET /v25.0/2%2F77/subscribed_apps HTTP/1.1',
      'POST /v25.0/2%2F77/subscribed_apps HTTP/1.1',
    ]);
  });

  it('leaves the callback address that the business account has for our app', async () => {
    const { outcome, lines } = await connectTo([NUMBER, apps({ 41: undefined, 42: 'https://cell.example/hook' }), APP]);
    assert.equal(outcome.kind, 'connected');
    assert.deepEqual(lines.slice(1), [
      'GET /v25.0/2%2F77/subscribed_apps HTTP/1.1',
      'GET /v25.0/app?fields=id HTTP/1.1',
    ]);
  });

  it('subscribes our app where only others have such an address, or the list is not told', async () => {
    const ofAnother = apps({ 41: 'https://other.example/hook', 42: '' });
    const untold = http(403, '{"error":{"code":10,"message":"No permission"}}');
    for (const answers of [
      [ofAnother, APP],
      [apps({ 42: undefined })],
      [http(200, '{"data":[null,{"override_callback_uri":"https://cell.example"}]}')],
      [untold],
    ]) {
      const { outcome, lines } = await connectTo([NUMBER, ...answers, SUBSCRIBED]);
      assert.equal(outcome.kind, 'connected');
      assert.equal(lines.at(-1), 'POST /v25.0/2%2F77/subscribed_apps HTTP/1.1');
    }
  });

  it('subscribes nothing as long as it cannot tell whose such an address is', async () => {
    const listed = apps({ 42: 'https://cell.example/hook' });
    const unclear = [[http(503, '')], [listed, http(503, '')], [listed, http(200, '{}')]];
    for (const answers of unclear) {
      const { outcome, lines } = await connectTo([NUMBER, ...answers, SUBSCRIBED]);
      assert.deepEqual(outcome, { kind: 'unavailable' });
      assert.ok(!lines.some((line) => line?.startsWith('POST')));
    }
  });

  it('takes facts that the provider does not tell as not known', async () => {
    for (const unrated of ['NA', 'UNKNOWN']) {
      const number = http(200, `{"id":"1055","quality_rating":"${unrated}","throughput":7}`);
      const facts = { name: null, quality: null, throughputPerSecond: null, messagingLimit: null };
      assert.deepEqual((await connectTo([number, NO_APPS, SUBSCRIBED])).outcome, { kind: 'connected', facts });
    }
  });

  it('keeps a number that is used in the app too to its fixed rate, whatever its level says', async () => {
    for (const [isOnApp, perSecond] of [
      ['true', 20],
      ['false', 1_000],
      ['"true"', 1_000],
    ] as const) {
      const number = http(200, `{"id":"1055","throughput":{"level":"HIGH"},"is_on_biz_app":${isOnApp}}`);
      const facts = { name: null, quality: null, throughputPerSecond: perSecond, messagingLimit: null };
      assert.deepEqual((await connectTo([number, NO_APPS, SUBSCRIBED])).outcome, { kind: 'connected', facts }, isOnApp);
    }
  });

  it("is refused in the provider's words, at either step", async () => {
    const refusal = http(401, '{"error":{"code":190,"message":"Session has expired"}}');
    const refused = { kind: 'refused', detail: 'Session has expired', accessRefused: true };
    assert.deepEqual((await connectTo([refusal])).outcome, refused);
    assert.deepEqual((await connectTo([NUMBER, NO_APPS, refusal])).outcome, refused);
    assert.deepEqual((await connectTo([NUMBER, refusal, refusal])).outcome, refused);
    const error = '{"error":{"code":190,"message":"No","error_data":{"details":"Session has expired"}}}';
    assert.deepEqual((await connectTo([http(200, error)])).outcome, refused, 'whatever the HTTP status');
    const wordless = { kind: 'refused', detail: 'The provider gave no reason.', accessRefused: false };
    for (const other of ['', '{"id":"1055"}', '{"success":true}'])
      assert.deepEqual((await connectTo([http(404, other)])).outcome, wordless);
  });

  it('is unavailable where the provider could not be asked or gave no clear answer', async () => {
    const unclear = [
      http(500, ''),
      http(429, ''),
      http(200, 'no json'),
      http(503, '{"error":{"code":2}}'),
      http(500, '{"error":{"code":1,"message":"An unknown error occurred"}}'),
      http(500, '{"error":{"code":131000,"message":"Something went wrong"}}'),
      'no http\r\n\r\n',
    ];
    for (const answer of unclear) {
      assert.deepEqual((await connectTo([answer])).outcome, { kind: 'unavailable' }, answer);
    }
    assert.deepEqual((await connectTo([NUMBER, NO_APPS, http(200, '{}')])).outcome, { kind: 'unavailable' });
  });
});

const APP = http(200, '{"id":"42"}');

/** The apps that are subscribed, by their ids, with the callback address that the business account has for each. */
function apps(addresses: Record<number, string | undefined>): string {
  const data = Object.entries(addresses).map(([id, address]) => {
    return { whatsapp_business_api_data: { id, name: 'Any' }, override_callback_uri: address };
  });
  return http(200, JSON.stringify({ data }));
}

function connectTo(answers: string[]) {
  return callWith(answers, (provider) => provider.connect(SENDER, '2/77'));
}
