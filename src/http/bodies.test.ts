import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import { assertProblem } from '../../test/support/problem.ts';
import { callRaw, exchangeBytes } from '../../test/support/raw-http.ts';
import { transmitsOf } from '../../test/support/transmits.ts';

const SEND = '/api/v1/messages/send';
const GOOD = JSON.stringify({ to: '+447700900001', type: 'text', text: { body: 'Hello' } });

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const sendBody = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  gateway.call('POST', SEND, { body, headers });

describe('bodies', () => {
  it('must be declared as JSON in UTF-8, not encoded in any way', async () => {
    const wrong = ['text/plain', 'application/jsonp', 'application/vnd.api+json', 'application/json; charset=latin1'];
    for (const type of [...wrong, 'application/json, application/json', 'json', '*/*'])
      assertProblem(await sendBody(GOOD, { 'content-type': type }), 'unsupported_media_type');
    assertProblem(await sendBody(gzipSync(GOOD), { 'content-encoding': 'gzip' }), 'unsupported_media_type');
    assertProblem(await sendBody(GOOD, { 'content-encoding': 'identity' }), 'unsupported_media_type');
    const headers = ['authorization', `Bearer ${gateway.testKey}`];
    const undeclared = await callRaw(gateway.url, { method: 'POST', path: SEND, headers, body: GOOD });
    assertProblem(undeclared, 'unsupported_media_type');
  });

  it('have one content type, whatever the first one says', async () => {
    const json = ['content-type', 'application/json'];
    for (const second of ['text/plain', 'application/json', '']) {
      const headers = ['authorization', `Bearer ${gateway.testKey}`, ...json, 'Content-Type', second];
      const twice = await callRaw(gateway.url, { method: 'POST', path: SEND, headers, body: GOOD });
      assertProblem(twice, 'unsupported_media_type');
      const sync = await callRaw(gateway.url, { method: 'POST', path: '/api/v1/templates/sync', headers, body: '{}' });
      assertProblem(sync, 'unsupported_media_type');
    }
  });

  it('have a content type that is one, also where the call has no use for a body', async () => {
    const headers = ['authorization', `Bearer ${gateway.testKey}`, 'content-type', 'nonsense'];
    const path = '/api/v1/endpoints/end_01hzzzzzzzzzzzzzzzzzzzzzzz';
    const answer = await callRaw(gateway.url, { method: 'DELETE', path, headers, body: '{}' });
    assertProblem(answer, 'unsupported_media_type');
  });

  it('are transferred in chunks or whole, and in no other coding', async () => {
    const statusOf = async (coding: string) => {
      const head = `POST ${SEND} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.testKey}\r\nconnection: close\r\n`;
      const chunks = `${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\n\r\n`;
      const typed = `${head}content-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n${chunks}`;
      return (await exchangeBytes(gateway.url, typed)).slice(9, 12);
    };
    assert.equal(await statusOf('gzip, chunked'), '415');
    assert.equal(await statusOf('identity, chunked'), '415');
    assert.equal(await statusOf('chunked'), '200');
    assert.equal(await statusOf('Chunked'), '200');
  });

  it('may name UTF-8 in every usual way', async () => {
    const types = ['application/json;charset=utf-8', 'Application/JSON; Charset="UTF-8"', 'application/json ; a=b'];
    for (const type of types) assert.equal((await sendBody(GOOD, { 'content-type': type })).status, 200, type);
  });

  it('that are no JSON, not UTF-8 or empty are malformed', async () => {
    const bytes = Buffer.from(GOOD);
    const malformed = [
      '',
      ' ',
      '{',
      `${GOOD}x`,
      `\ufeff${GOOD}`,
      GOOD.replace('"text"', "'text'"),
      '['.repeat(1 << 20),
      Buffer.concat([bytes.subarray(0, -3), Buffer.from([0xff]), bytes.subarray(-3)]),
      Buffer.concat([bytes.subarray(0, -3), Buffer.from([0xed, 0xa0, 0x80]), bytes.subarray(-3)]),
      Buffer.from(GOOD, 'utf16le'),
    ];
    for (const body of malformed) {
      const answer = await sendBody(body);
      assertProblem(answer, 'malformed_json');
      assert.ok(!answer.json.detail.includes('Hello'), 'the body is not repeated');
    }
  });

  it('that are no JSON are told the place of the mistake, and nothing of what stands there', async () => {
    const whole = 'The body is not valid JSON';
    for (const [body, detail] of [
      ['{"to": "x",}', `${whole}: see line 1, column 12.`],
      ['{\n  "to": "x"\n  "type": "text"}', `${whole}: see line 3, column 3.`],
      ['{"text": "Hello\n"}', `${whole}: see line 1, column 16.`],
      [GOOD.slice(0, -1), `${whole}: see line 1, column ${GOOD.length}.`],
      ['{', `${whole}: see line 1, column 2.`],
      ['[', `${whole}: it ends too early.`],
      ['Hello (line 7 column 7)', `${whole}.`],
    ] as const)
      assert.equal((await sendBody(body)).json.detail, detail, body);
  });

  it('that begin with a byte order mark, which no editor shows, are told so', async () => {
    assert.match((await sendBody(`\ufeff${GOOD}`)).json.detail, /byte order mark/);
    assert.doesNotMatch((await sendBody(`${GOOD}x`)).json.detail, /byte order mark/);
  });

  it('have 1 MiB at the most, announced or not', async () => {
    const padded = GOOD + ' '.repeat((1 << 20) - GOOD.length);
    assert.equal((await sendBody(padded)).status, 200);
    const tooLarge = await sendBody(`${padded} `);
    assertProblem(tooLarge, 'payload_too_large');
    assert.match(tooLarge.json.detail, / 1048576 bytes /);
    const headers = ['authorization', `Bearer ${gateway.testKey}`, 'content-type', 'application/json'];
    const chunked = new Headers();
    chunked.set('authorization', `Bearer ${gateway.testKey}`);
    chunked.set('content-type', 'application/json');
    const body = new Blob([`${padded} `]).stream();
    const answer = await fetch(gateway.url + SEND, { method: 'POST', headers: chunked, body, duplex: 'half' });
    const text = await answer.text();
    assertProblem(
      { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) },
      'payload_too_large',
    );
    assert.equal((await callRaw(gateway.url, { method: 'POST', path: SEND, headers, body: GOOD })).status, 200);
  });

  it('far above the limit are read to their end, so that the answer is not lost in a reset', async () => {
    const size = 16 << 20;
    for (const path of [SEND, '/api/messaging/webhook']) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      const arrived = once(socket, 'data');
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.testKey}\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`,
      );
      assert.match(String(await arrived), /^HTTP\/1.1 413 /);
      const next = once(socket, 'data');
      socket.write(Buffer.alloc(size, ' '));
      socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
      assert.match(String(await next), /^HTTP\/1.1 200 /);
      socket.destroy();
    }
  });

  it('that hold a member twice are read by the last one', async () => {
    const twice = `{"to":"+447700900002","to":"+447700900003","type":"text","text":{"body":"a","body":"b"}}`;
    const { status, json } = await sendBody(twice);
    assert.equal(status, 200);
    assert.deepEqual(
      json.results.map(({ to }: { to: string }) => to),
      ['+447700900003'],
    );
    const [seen, ...more] = await transmitsOf(gateway.sandbox, '+447700900003');
    assert.equal(seen?.body.text.body, 'b');
    assert.deepEqual([more, await transmitsOf(gateway.sandbox, '+447700900002')], [[], []]);
  });

  it('of any size and shape have faults that fit into an answer', async () => {
    const members = Array.from({ length: 100_000 }, (_, place) => `"${place.toString(36)}":0`);
    const shapes = [
      `{${members.join(',')}}`,
      `{"to":[${Array(400_000).fill(1).join(',')}]}`,
      `{"type":"text","to":[${Array(150_000).fill('{}').join(',')}]}`,
      `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
      `{"type":"text","text":{"body":"a"},"to":"+447700900001","deep":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`,
      `{"to":[${Array(100_000).fill('"\\u0000"').join(',')}]}`,
    ];
    for (const shape of shapes) {
      const answer = await sendBody(shape);
      assert.ok(assertProblem(answer, 'invalid_request').length <= 1_000);
      assert.ok(answer.text.length < 1 << 20);
    }
    const unstorable = `{${members.map((member) => member.replace('"', '"\\u0000')).join(',')}}`.slice(0, 1 << 20);
    const bodies = [`{"url":"https://example.com",${shapes[0]?.slice(1)}`, `${unstorable.replace(/,[^,]*$/, '')}}`];
    for (const path of ['/api/v1/endpoints', '/api/v1/templates/sync', '/api/v1/messages/validate'])
      for (const body of bodies)
        assert.ok(assertProblem(await gateway.call('POST', path, { body }), 'invalid_request').length <= 1_000, path);
    const query = members.slice(0, 500).map((_, place) => `m${place}=`);
    assert.equal(
      assertProblem(await gateway.call('GET', `/api/v1/account?${query.join('&')}`), 'invalid_request').length,
      300,
    );
    const headers = { 'webhook-id': 'a', '\ud800': 5 };
    const endpoint = await gateway.call('POST', '/api/v1/endpoints', { body: { url: 'https://example.com' } });
    const check = `/api/v1/endpoints/${endpoint.json.id}/check-signature`;
    assertProblem(await gateway.call('POST', check, { body: { headers, body: '' } }), 'invalid_request');
  });

  it('have every fault told at once, and each once', async () => {
    const call = async (path: string, key: string, body: unknown) =>
      assertProblem(await gateway.call('POST', path, { key, body }), 'invalid_request');
    const pointersOf = async (...sent: Parameters<typeof call>) =>
      (await call(...sent)).map(({ pointer }) => pointer).toSorted();
    const account = `/platform/v1/accounts/${gateway.accountId}`;
    const wrong = { url: 'ftp://example.com', types: ['message.gone'], description: 5 };
    assert.deepEqual(await pointersOf('/api/v1/endpoints', gateway.testKey, wrong), [
      ...['#/description', '#/types/0', '#/url'],
    ]);
    const key = { name: 5, mode: 'both', scopes: 'all', expires_at: '2020-01-01T00:00:00Z' };
    assert.deepEqual(await pointersOf(`${account}/keys`, gateway.platformKey, key), [
      ...['#/expires_at', '#/mode', '#/name', '#/scopes'],
    ]);
    const [late] = await call(`${account}/keys`, gateway.platformKey, {
      ...{ name: 'Late', mode: 'test', expires_at: '9999-12-31T23:59:59-01:00' },
    });
    assert.equal(late?.detail, 'This must not be after the year 9999 in UTC.');
    const channel = { phone_number_id: 'x', business_account_id: '1', display_phone_number: '0770', access_token: 'x' };
    assert.deepEqual(await pointersOf(`${account}/channels`, gateway.platformKey, channel), [
      ...['#/display_phone_number', '#/phone_number_id'],
    ]);
    const person = { to: '0770', user_id: 'x' };
    assert.deepEqual(await pointersOf(`${account}/erase`, gateway.platformKey, person), ['#/to', '#/user_id']);
  });
});
