import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  addChannel,
  asSandbox,
  CALLBACK_PATH,
  forgetNotifications,
  isProcessed,
  lineOf,
  listNotifications,
  messagesBody,
  postSigned,
  readMessage,
  sendOne,
  statusOf,
  type TestLine,
  textFrom,
} from '../../test/support/notifications.ts';
import { callRaw } from '../../test/support/raw-http.ts';
import { until } from '../../test/support/until.ts';
import { signBytes } from '../kernel/signature.ts';

const BODY = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
const APP_SECRETS = ['app-secret-of-today', 'app-secret-of-yesterday'];

describe('the intake of notifications', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    const settings = { WAYPOST_APP_SECRETS: APP_SECRETS.join(',') };
    gateway = await startTestGateway({ settings, sandbox: { statuses: 'off' } });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());
  beforeEach(() => forgetNotifications(gateway));

  const storedBodies = async () => {
    await until(() => isProcessed(gateway));
    return gateway.database.query<{ body: Buffer; origin: string; state: string; error: string | null }>(
      'select body, origin, state, error from notification order by id',
    );
  };
  const post = (signatures: string[], body = BODY) =>
    callRaw(gateway.url, {
      method: 'POST',
      path: CALLBACK_PATH,
      headers: signatures.flatMap((signature) => ['x-hub-signature-256', signature]),
      body,
    });

  it('commits a signed body as it came, then answers 200 with nothing in it', async () => {
    const { status, text, headers } = await postSigned(asSandbox(gateway), BODY);
    assert.equal(status, 200);
    assert.equal(text, '');
    assert.match(headers.get('x-request-id') ?? '', /^req_/);
    assert.deepEqual(
      (await storedBodies()).map(({ body }) => body.toString()),
      [BODY],
    );
  });

  it('refuses what is not signed exactly once and rightly, stores nothing of it and tells nothing', async () => {
    const right = signBytes(Buffer.from(BODY), gateway.secrets.sandboxAppSecret);
    const hex = right.slice('sha256='.length);
    const wrong: string[][] = [
      [],
      [''],
      [hex],
      ['sha256='],
      [right.slice(0, -1)],
      [right.slice(0, -2)],
      [`${right}0`],
      [`${right}00`],
      [right, right],
      [right, right.replace(/.$/, '0')],
      [`${right},${right}`],
      [`${right}, ${right}`],
      [`SHA256=${hex}`],
      [`sha1=${hex}`],
      [`sha256:${hex}`],
      [`sha256= ${hex}`],
      [`"${right}"`],
      [right.replace(/[0-9a-f]$/, 'g')],
      [`sha256=${'0'.repeat(64)}`],
      [signBytes(Buffer.from(BODY), '')],
      [signBytes(Buffer.from(BODY), 'another secret')],
      [signBytes(Buffer.from(`${BODY} `), gateway.secrets.sandboxAppSecret)],
      [signBytes(Buffer.from(''), gateway.secrets.sandboxAppSecret)],
    ];
    for (const signatures of wrong) {
      const answer = await post(signatures);
      assert.equal(answer.status, 401, String(signatures));
      assert.equal(answer.json.code, 'invalid_signature');
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.equal(answer.headers.get('www-authenticate'), 'X-Hub-Signature-256');
      const told = [answer.text, ...answer.headers.values()].join('\n');
      for (const secret of [hex, gateway.secrets.sandboxAppSecret, ...APP_SECRETS, 'whatsapp_business_account'])
        assert.ok(!told.toLowerCase().includes(secret.toLowerCase()), 'the answer tells a secret');
    }
    assert.deepEqual(await storedBodies(), []);
  });

  it('takes hex in either case', async () => {
    const hex = signBytes(Buffer.from(BODY), gateway.secrets.sandboxAppSecret).slice('sha256='.length);
    for (const written of [hex.toUpperCase(), `${hex.slice(0, 32).toUpperCase()}${hex.slice(32)}`])
      assert.equal((await post([`sha256=${written}`])).status, 200);
  });

  it('verifies with every valid secret, and remembers whose it was', async () => {
    for (const secret of [...APP_SECRETS, gateway.secrets.sandboxAppSecret])
      assert.equal((await postSigned({ url: gateway.url, secret }, BODY)).status, 200);
    assert.deepEqual(
      (await storedBodies()).map(({ origin }) => origin),
      ['live', 'live', 'test'],
    );
  });

  it('verifies the bytes and not what they mean', async () => {
    const texts = ['{"a":"é"}', '{"a":"\\u00e9"}', '{"a":"\\/"}', ' { "a" : 1 } \r\n', '\uFEFF{}'];
    for (const text of texts) assert.equal((await postSigned(asSandbox(gateway), text)).status, 200, text);
    const invalid = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    assert.equal((await postSigned(asSandbox(gateway), invalid)).status, 200);
    const kept = (await storedBodies()).map(({ body }) => body);
    assert.deepEqual(kept, [...texts.map((text) => Buffer.from(text)), invalid]);
  });

  it('does not look at the content type and decompresses nothing', async () => {
    const packed = gzipSync(BODY);
    const signature = signBytes(packed, gateway.secrets.sandboxAppSecret);
    const signed = ['x-hub-signature-256', signature];
    const kinds = [
      [],
      ['content-type', 'application/json'],
      ['content-type', 'text/plain'],
      ['content-type', 'application/x-www-form-urlencoded'],
      ['content-type', 'multipart/form-data'],
      ['content-type', 'application/json; charset=utf-16'],
      ['content-encoding', 'gzip'],
      ['content-encoding', 'br, gzip'],
    ];
    for (const headers of kinds) {
      const call = { method: 'POST', path: CALLBACK_PATH, headers: [...signed, ...headers], body: packed };
      assert.equal((await callRaw(gateway.url, call)).status, 200, headers.join(': '));
    }
    const kept = await storedBodies();
    assert.equal(kept.length, kinds.length);
    for (const { body } of kept) assert.deepEqual(body, packed);
  });

  it('does not look at a content type that is none either', async () => {
    for (const type of ['', 'nonsense', '///;;='])
      assert.equal((await postSigned(asSandbox(gateway), BODY, { 'content-type': type })).status, 200, type);
  });

  it('keeps and sets aside what is signed and cannot be read', async () => {
    const bodies = [
      '',
      ' ',
      'null',
      '7',
      '"text"',
      '[]',
      '{}',
      '{"entry":null}',
      '{"entry":"x"}',
      '{',
      'not json',
      '\0',
    ];
    for (const body of bodies) assert.equal((await postSigned(asSandbox(gateway), body)).status, 200, body);
    const listed = await until(async () => {
      const all = await listNotifications(gateway, '&state=set_aside');
      return all.length === bodies.length ? all : undefined;
    });
    assert.deepEqual(new Set(listed.map(({ error }) => error)), new Set(['not_json', 'undecodable']));
    assert.deepEqual(Object.keys(listed[0] ?? {}), ['id', 'received_at', 'state', 'kinds', 'error', 'attempts']);
  });

  it('takes 1,000 statuses in 3 MB and applies them', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const padding = 'x'.repeat(2_900);
    const statuses = Array.from({ length: 999 }, (_, place) =>
      statusOf('delivered', { providerId: `wamid.${place}`, padding }),
    );
    const body = JSON.stringify(messagesBody(line, { statuses: [...statuses, statusOf('read', { providerId })] }));
    assert.ok(body.length > 3_000_000);
    assert.equal((await postSigned(asSandbox(gateway), body)).status, 200);
    await until(async () => (await readMessage(gateway, id)).status === 'read');
    assert.deepEqual((await listNotifications(gateway, '&state=waiting'))[0]?.error, 'unknown_message');
  });

  it('takes 4 MiB and no byte more', async () => {
    const largest = Buffer.alloc(4 << 20, ' ');
    assert.equal((await postSigned(asSandbox(gateway), largest)).status, 200);
    const tooLarge = await postSigned(asSandbox(gateway), Buffer.alloc((4 << 20) + 1, ' '));
    assert.equal(tooLarge.status, 413);
    assert.equal(tooLarge.json.code, 'payload_too_large');
    assert.equal((await storedBodies()).length, 1);
  });

  it('waits for a slow sender and serves others meanwhile', async () => {
    const slow = Promise.withResolvers<number | undefined>();
    const bytes = Buffer.from(BODY);
    const headers = { 'x-hub-signature-256': signBytes(bytes, gateway.secrets.sandboxAppSecret) };
    const sent = request(`${gateway.url}${CALLBACK_PATH}`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      slow.resolve(answer.statusCode);
    });
    sent.on('error', slow.reject);
    for (const byte of bytes) {
      sent.write(Buffer.from([byte]));
      assert.equal((await postSigned(asSandbox(gateway), 'another')).status, 200);
    }
    sent.end();
    assert.equal(await slow.promise, 200);
    const kept = (await storedBodies()).map(({ body }) => body.toString());
    assert.equal(kept.filter((body) => body === BODY).length, 1);
  });

  it('lets a sandbox notification touch test channels only, and a live one live channels only', async () => {
    const live = {
      phoneNumberId: '900000000000001',
      businessAccountId: '900000000000002',
      phoneNumber: '+447700900999',
    };
    await addChannel(gateway, { ...live, accountId: gateway.accountId, mode: 'live' });
    const liveKey = await gateway.createKey({ mode: 'live' });
    const inbound = (to: TestLine, id: string) => messagesBody(to, { messages: [textFrom('+447700900123', id)] });
    const asLive = { url: gateway.url, secret: APP_SECRETS[1] ?? '' };
    await postSigned(asSandbox(gateway), inbound(live, 'wamid.from-sandbox'));
    await postSigned(asLive, inbound(line, 'wamid.from-provider'));
    await until(async () => (await listNotifications(gateway, '&state=set_aside')).length === 2);
    const setAside = await listNotifications(gateway, '&state=set_aside');
    assert.deepEqual(
      setAside.map(({ error }) => error),
      ['no_channel', 'no_channel'],
    );

    await postSigned(asSandbox(gateway), inbound(line, 'wamid.to-test'));
    await postSigned(asLive, inbound(live, 'wamid.to-live'));
    const received = async (key: string) =>
      (await gateway.call('GET', '/api/v1/messages?direction=inbound', { key })).json.data.map(
        (message: { message_id: string }) => message.message_id,
      );
    await until(async () => (await received(liveKey)).length > 0 && (await received(gateway.testKey)).length > 0);
    assert.deepEqual(await received(liveKey), ['wamid.to-live']);
    assert.deepEqual(await received(gateway.testKey), ['wamid.to-test']);
  });
});
