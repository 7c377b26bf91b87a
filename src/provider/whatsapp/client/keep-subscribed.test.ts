import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callWith, http, SENDER } from './test-servers.ts';

const LIST = 'GET /v25.0/2%2F77/subscribed_apps HTTP/1.1';
const OWN = 'GET /v25.0/app?fields=id HTTP/1.1';
const SUBSCRIBE = 'POST /v25.0/2%2F77/subscribed_apps HTTP/1.1';

const APP = http(200, '{"id":"42"}');
const DONE = http(200, '{"success":true}');
const WITHOUT_US = list([{ whatsapp_business_api_data: { id: '41', name: 'Another' } }]);
const NO_PERMISSION = http(403, '{"error":{"code":10,"message":"No permission"}}');

describe('keeping our app subscribed', () => {
  it('changes nothing while it is in the list, with or without a callback address of the business account', async () => {
    const another = { whatsapp_business_api_data: { id: '41' } };
    for (const own of [
      { whatsapp_business_api_data: { id: '42' } },
      { whatsapp_business_api_data: { id: 42 }, override_callback_uri: 'https://cell.example/hook' },
    ]) {
      assert.deepEqual(await keep({ apps: list([another, own]) }), { kind: 'subscribed', lines: [LIST, OWN] });
    }
  });

  it('subscribes it again if it is not in the list', async () => {
    for (const apps of [list([]), WITHOUT_US]) {
      assert.deepEqual(await keep({ apps }), { kind: 'resubscribed', lines: [LIST, OWN, SUBSCRIBE] });
    }
  });

  it('says that the subscription is lost if that is refused or not answered', async () => {
    for (const done of [NO_PERMISSION, http(503, ''), http(200, '{"success":false}'), http(200, '{}')]) {
      assert.deepEqual(await keep({ apps: WITHOUT_US, done }), { kind: 'lost', lines: [LIST, OWN, SUBSCRIBE] });
    }
  });

  it('subscribes nothing if it cannot be told whether our app is in the list', async () => {
    const unclear = [
      { apps: NO_PERMISSION },
      { apps: http(503, '') },
      { apps: http(200, '{}') },
      { apps: http(200, '{"data":{"id":"41"}}') },
      { apps: list([{ name: 'without an id' }]) },
      { apps: list([7]) },
      { apps: http(200, '{"data":[],"paging":{"next":"https://graph.example/next"}}') },
      { own: NO_PERMISSION },
      { own: http(503, '') },
      { own: http(200, '{}') },
    ];
    for (const answers of unclear) {
      assert.deepEqual(await keep({ apps: WITHOUT_US, ...answers }), { kind: 'untold', lines: [LIST, OWN] });
    }
  });
});

function list(data: unknown[]): string {
  return http(200, JSON.stringify({ data }));
}

async function keep({ apps, own = APP, done = DONE }: { apps: string; own?: string; done?: string }) {
  const { outcome, lines } = await callWith([apps, own, done], (provider) => provider.keepSubscribed(SENDER, '2/77'));
  return { kind: outcome.kind, lines };
}
