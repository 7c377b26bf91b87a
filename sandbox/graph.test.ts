import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyMessage } from './any-message.ts';
import { DEMO_TEMPLATES } from './demo-templates.ts';
import { member, post, send, startReceiver, startSandbox } from './test-support.ts';

const AUTHORIZED = { authorization: 'Bearer any' };

describe('the Graph API of the sandbox', () => {
  it('takes any token but none, and one that begins with refused', async (t) => {
    const { url } = await startSandbox(t);
    for (const path of [
      '/v25.0/1',
      '/v25.0/1/phone_numbers',
      '/v25.0/1/message_templates',
      '/v19.0/1/subscribed_apps',
    ]) {
      assert.equal((await fetch(url + path, { headers: AUTHORIZED })).status, 200);
      assert.deepEqual(await refusalOf(fetch(url + path)), [401, 104]);
      assert.deepEqual(
        await refusalOf(fetch(url + path, { headers: { authorization: 'Bearer refused-1' } })),
        [401, 190],
      );
    }
    assert.deepEqual(await refusalOf(send({ url }, { to: '+447700900125' }, 'refused')), [401, 190]);
  });

  it('answers unknown paths and methods as Graph does', async (t) => {
    const { url } = await startSandbox(t);
    for (const path of ['/', '/nothing', '/v25/1/messages', '/v25.0/1/nothing', '/v25.0/%E0%A4%A']) {
      assert.deepEqual(await refusalOf(fetch(url + path, { headers: AUTHORIZED })), [400, 2500]);
    }
    assert.deepEqual(await refusalOf(fetch(`${url}/v25.0/1/messages`, { headers: AUTHORIZED })), [400, 100]);
    assert.deepEqual(await refusalOf(fetch(`${url}/v25.0/1`, { method: 'DELETE' })), [400, 100]);
  });

  it('answers every id as a phone number, with the fields that are asked for', async (t) => {
    const { url } = await startSandbox(t);
    const fields =
      'display_phone_number,verified_name,quality_rating,throughput{level},code_verification_status,status';
    const number = await get(`${url}/v25.0/1001?fields=${fields},whatsapp_business_manager_messaging_limit`);
    assert.equal(member(number, 'id'), '1001');
    assert.match(String(member(number, 'display_phone_number')), /^\+1555\d{7}$/);
    assert.deepEqual(member(number, 'throughput'), { level: 'STANDARD' });
    assert.equal(member(number, 'whatsapp_business_manager_messaging_limit'), 'TIER_100K');
    assert.deepEqual(await get(`${url}/v25.0/1001?fields=display_phone_number`), {
      display_phone_number: member(number, 'display_phone_number'),
      id: '1001',
    });
    assert.deepEqual(await refusalOf(fetch(`${url}/v25.0/1001?fields=x`, { headers: AUTHORIZED })), [400, 100]);
  });

  it('remembers which business accounts are subscribed', async (t) => {
    const { url } = await startSandbox(t);
    const path = `${url}/v25.0/2002/subscribed_apps`;
    assert.deepEqual(await get(path), { data: [] });
    assert.deepEqual(await (await post(path, {}, AUTHORIZED)).json(), { success: true });
    assert.ok(member(await get(path), 'data', 0, 'whatsapp_business_api_data', 'id'));
    await fetch(path, { method: 'DELETE', headers: AUTHORIZED });
    assert.deepEqual(await get(path), { data: [] });
  });

  it('forgets the callback address of a business account at the next subscription without one', async (t) => {
    const { url } = await startSandbox(t);
    const path = `${url}/v25.0/2002/subscribed_apps`;
    const address = async () => member(await get(path), 'data', 0, 'override_callback_uri');
    await post(path, { override_callback_uri: 'https://cell.example/hook', verify_token: 'a' }, AUTHORIZED);
    assert.equal(await address(), 'https://cell.example/hook');
    await fetch(path, { method: 'POST', headers: AUTHORIZED });
    assert.equal(await address(), undefined);
    const own = member(await get(path), 'data', 0, 'whatsapp_business_api_data', 'id');
    assert.equal(member(await get(`${url}/v25.0/app?fields=id`), 'id'), own);
  });

  it('lists every template once, whatever the size of the pages', async (t) => {
    const { url } = await startSandbox(t);
    for (const limit of [1, 3, DEMO_TEMPLATES.length, 100]) {
      const names: string[] = [];
      let next: unknown = `${url}/v25.0/2002/message_templates?fields=name,language&limit=${limit}`;
      while (typeof next === 'string') {
        const page = await get(next);
        const { data } = Object(page);
        assert.ok(data.length > 0 && data.length <= limit);
        names.push(...data.map((template: unknown) => `${member(template, 'name')} ${member(template, 'language')}`));
        assert.ok(member(page, 'paging', 'cursors', 'after'));
        next = member(page, 'paging', 'next');
      }
      assert.deepEqual(
        names,
        DEMO_TEMPLATES.map(({ name, language }) => `${name} ${language}`),
      );
    }
  });

  it('goes back by the cursor before', async (t) => {
    const { url } = await startSandbox(t);
    const path = `${url}/v25.0/2002/message_templates?fields=name&limit=2`;
    const first = await get(path);
    const second = await get(String(member(first, 'paging', 'next')));
    assert.equal(member(first, 'paging', 'previous'), undefined);
    assert.deepEqual(member(await get(String(member(second, 'paging', 'previous'))), 'data'), member(first, 'data'));
    assert.deepEqual(await refusalOf(fetch(`${path}&after=nonsense`, { headers: AUTHORIZED })), [400, 100]);
  });

  it('filters templates by part of the name, and by status, category and language', async (t) => {
    const { url } = await startSandbox(t);
    const names = async (query: string) => {
      const { data } = Object(await get(`${url}/v25.0/2002/message_templates?limit=100&${query}`));
      return data.map((template: unknown) => member(template, 'name'));
    };
    assert.deepEqual(await names('name=order_update'), ['order_update', 'order_update']);
    assert.deepEqual(await names('name=order&language=de'), ['order_update']);
    assert.deepEqual(await names('status=PAUSED'), ['promo_paused']);
    assert.deepEqual(await names(`status=${encodeURIComponent('["PENDING","REJECTED"]')}`), [
      'promo_pending',
      'promo_rejected',
    ]);
    assert.deepEqual(await names('category=AUTHENTICATION'), ['login_code']);
    assert.deepEqual(await get(`${url}/v25.0/2002/message_templates?name=nothing`), { data: [] });
  });

  it('gives a template another id in each business account, the same at each reading', async (t) => {
    const { url } = await startSandbox(t);
    const id = async (account: string) =>
      member(await get(`${url}/v25.0/${account}/message_templates`), 'data', 0, 'id');
    assert.match(String(await id('1')), /^\d{16}$/);
    assert.equal(await id('1'), await id('1'));
    assert.notEqual(await id('1'), await id('2'));
  });

  it('answers read receipts without recording them', async (t) => {
    const { url } = await startSandbox(t);
    const receipt = { status: 'read', message_id: 'wamid.x', type: undefined, text: undefined };
    assert.deepEqual(await (await send({ url }, receipt)).json(), { success: true });
    assert.deepEqual(await get(`${url}/_sandbox/messages`), { data: [], next_cursor: null });
  });

  it('says what is wrong with whom a message is for, and with a read receipt', async (t) => {
    const { url } = await startSandbox(t);
    const cases: [body: object, code: number][] = [
      [{}, 100],
      [{ recipient_type: 'group' }, 100],
      [{ to: { phone: '+447700900123' } }, 131009],
      [{ to: '0770' }, 131009],
      [{ recipient: '+447700900123' }, 131009],
      [{ recipient: 1349 }, 131009],
      [{ status: 'read' }, 131008],
      [{ status: 'typing', message_id: 'wamid.x' }, 100],
    ];
    for (const [body, code] of cases)
      assert.deepEqual(await refusalOf(send({ url }, body)), [400, code], JSON.stringify(body));
    const group = await (await send({ url }, { recipient_type: 'group', to: 'a-group' })).json();
    assert.equal(member(group, 'contacts', 0, 'wa_id'), 'a-group', 'which need not be a number');
  });

  it('refuses as Graph does what is too large, what is given twice and what is no number', async (t) => {
    const { url } = await startSandbox(t);
    const large = send({ url }, { to: '+447700900125', text: { body: 'x'.repeat(4 * 1024 * 1024) } });
    assert.deepEqual(await refusalOf(large), [413, 100]);
    for (const query of ['fields=id&fields=name', 'limit=0', 'limit=1.5', 'limit=many'])
      assert.deepEqual(
        await refusalOf(fetch(`${url}/v25.0/1/message_templates?${query}`, { headers: AUTHORIZED })),
        [400, 100],
        query,
      );
  });

  it('never answers 5xx to anything that is posted as a message', async (t) => {
    const { url } = await startSandbox(t, { statuses: 'off' });
    await fc.assert(
      fc.asyncProperty(anyMessage, async (body) => {
        const answer = await fetch(`${url}/v25.0/1001/messages`, { method: 'POST', headers: AUTHORIZED, body });
        const told = await answer.text();
        assert.ok(answer.status < 500, `${answer.status}: ${told}`);
      }),
      { numRuns: 150 },
    );
    assert.equal((await fetch(`${url}/_sandbox/messages`)).status, 200);
  });
});

describe('the control calls', () => {
  it('tell every transmit that was read, also those that were not taken', async (t) => {
    const { url } = await startSandbox(t);
    await send({ url }, { to: '+44 7700 900127', biz_opaque_callback_data: 'a' });
    await send({ url }, { to: '+447700900127', text: {}, biz_opaque_callback_data: 'b' });
    await send({ url }, { recipient: 'US.1349', biz_opaque_callback_data: 'c' });
    const all = await get(`${url}/_sandbox/messages`);
    assert.deepEqual(
      [0, 1, 2].map((place) => [member(all, 'data', place, 'to'), member(all, 'data', place, 'taken')]),
      [
        ['+447700900127', true],
        ['+447700900127', false],
        [null, true],
      ],
    );
    assert.equal(member(all, 'data', 2, 'recipient'), 'US.1349');
    assert.match(String(member(all, 'data', 0, 'id')), /^wamid\.[A-Za-z0-9+/=]+$/);
    assert.equal(member(all, 'data', 0, 'body', 'to'), '+44 7700 900127');
    assert.match(String(member(all, 'data', 0, 'at')), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    const filtered = await get(`${url}/_sandbox/messages?to=+447700900127&callback_data=b`);
    assert.equal(member(filtered, 'data', 0, 'biz_opaque_callback_data'), 'b');
    assert.equal(member(filtered, 'data', 1), undefined);
    assert.deepEqual(await get(`${url}/_sandbox/messages?to=&callback_data=`), all);
  });

  it('tell the transmits to a user id like those to a number', async (t) => {
    const { url } = await startSandbox(t);
    await send({ url }, { to: '+447700900127', recipient: 'US.1349', biz_opaque_callback_data: 'to the number' });
    await send({ url }, { recipient: 'US.1349', biz_opaque_callback_data: 'to the user id' });
    await send({ url }, { recipient: 'US.1350' });
    const found = await get(`${url}/_sandbox/messages?to=US.1349`);
    assert.equal(member(found, 'data', 0, 'biz_opaque_callback_data'), 'to the user id');
    assert.equal(member(found, 'data', 1), undefined);
  });

  it('forget messages, what waits and the counts on a reset', async (t) => {
    const receiver = await startReceiver(t);
    const { url } = await startSandbox(t, { callbackUrls: [receiver.url], timeScale: 60 });
    await send({ url }, { to: '+15552000005' });
    await send({ url }, { to: '+15552000010' });
    await post(`${url}/_sandbox/reset`, {});
    assert.deepEqual(await get(`${url}/_sandbox/messages`), { data: [], next_cursor: null });
    assert.deepEqual(await refusalOf(send({ url }, { to: '+15552000005' })), [400, 130429]);
    assert.deepEqual(await refusalOf(send({ url }, { to: '+15552000005' })), [400, 130429]);
    assert.equal((await send({ url }, { to: '+15552000010', biz_opaque_callback_data: 'after' })).status, 200);
    const received = await receiver.count(3);
    assert.ok(received.every(({ body }) => body.includes('after')));
  });

  it('give a business account templates of its own', async (t) => {
    const { url } = await startSandbox(t);
    const templates = [{ ...DEMO_TEMPLATES[0], name: 'mine' }];
    assert.equal((await post(`${url}/_sandbox/templates`, { business_account_id: '3', templates })).status, 200);
    assert.equal(member(await get(`${url}/v25.0/3/message_templates`), 'data', 0, 'name'), 'mine');
    assert.equal(member(await get(`${url}/v25.0/4/message_templates`), 'data', 0, 'name'), 'hello_world');
    const short = { name: 'short', language: 'en', status: 'APPROVED', category: 'UTILITY', components: [] };
    assert.equal(
      (await post(`${url}/_sandbox/templates`, { business_account_id: '5', templates: [short] })).status,
      200,
    );
    assert.equal(member(await get(`${url}/v25.0/5/message_templates`), 'data', 0, 'parameter_format'), 'POSITIONAL');
    const refused = await post(`${url}/_sandbox/templates`, { business_account_id: '3', templates: [{ name: 'x' }] });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /#\/templates\/0 /, 'it says where');
  });

  it('hold for the numbers that are used with the same access token', async (t) => {
    const { url } = await startSandbox(t);
    const templates = [{ ...DEMO_TEMPLATES[0], name: 'mine' }];
    await post(`${url}/_sandbox/templates`, { business_account_id: '3', templates });
    const mine = { to: '+447700900123', type: 'template', template: { name: 'mine', language: { code: 'en_US' } } };
    assert.deepEqual(await refusalOf(send({ url }, mine, 'own')), [404, 132001], 'nobody knows whose the number is');
    for (const token of ['own', 'shared']) await get(`${url}/v25.0/3/message_templates`, token);
    await get(`${url}/v25.0/4/message_templates`, 'shared');
    assert.equal((await send({ url }, mine, 'own')).status, 200);
    assert.equal((await send({ url }, mine, 'shared')).status, 200, 'the number is known by now');
  });

  it('are refused under a name that is not loopback', async (t) => {
    const { url } = await startSandbox(t);
    assert.equal(await statusWith(url, { host: 'rebound.example' }), 403);
    assert.equal(await statusWith(url, { origin: 'https://page.example' }), 403);
    assert.equal(await statusWith(url, { host: 'localhost:8081' }), 200);
  });
});

async function get(url: string, token = 'any'): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200);
  return response.json();
}

/** Asserts that an error body has everything that Graph's have, and returns the HTTP status and the code. */
async function refusalOf(answer: Promise<Response>): Promise<[number, unknown]> {
  const response = await answer;
  const body: unknown = await response.json();
  for (const name of ['message', 'type', 'fbtrace_id']) assert.equal(typeof member(body, 'error', name), 'string');
  return [response.status, member(body, 'error', 'code')];
}

/** `fetch` sets these headers itself, so this uses `node:http`. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest(`${url}/_sandbox/health`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
