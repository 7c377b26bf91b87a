import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { signBytes } from '../src/kernel/signature.ts';
import { type Receiver, startReceiver } from './endpoints/receiver.ts';
import { type CallOptions, callApi, type TestAnswer } from './support/call-api.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { type GatewayProcess, startGatewayProcess } from './support/process.ts';
import { until } from './support/until.ts';

const word = (name: string) => `${name}${randomBytes(12).toString('hex')}`;
const SECRETS = {
  appSecret: word('app'),
  oldAppSecret: word('old'),
  verifyToken: word('verify'),
  platformKey: `wp_root_${word('platform')}`,
  masterKey: randomBytes(32).toString('base64'),
  sandboxAppSecret: word('sandbox'),
  accessToken: word('token'),
  refusedToken: word('refused'),
  collectorKey: word('collector'),
};
/** Numbers without their plus, as they may be in an address. */
const NUMBERS = ['447700900181', '447700900182', '15550131047', '15552000001', '447700900183', '15550784777'];
const WORDS = {
  text: word('body'),
  brokenText: word('broken'),
  inboundText: word('inbound'),
  unsignedText: word('unsigned'),
  parameter: word('parameter'),
  reference: word('reference'),
  idempotencyKey: word('idempotency'),
  queryValue: word('query'),
  endpointToken: word('endpoint'),
  customerAnswer: word('answer'),
};

let store: TestDatabase;
let dataDir: string;
let receiver: Receiver;
let gateway: GatewayProcess;
/** Everything that was written, except what its caller is to read: the good answers, and the welcome. */
let output = '';
const learned: string[] = [];

before(async () => {
  store = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-redaction-'));
  receiver = await startReceiver((response, place) =>
    response.writeHead(place % 2 === 0 ? 500 : 204).end(place % 2 === 0 ? WORDS.customerAnswer : undefined),
  );
  gateway = await startGatewayProcess(dataDir, {
    DATABASE_URL: store.url,
    WAYPOST_PROVIDER_URL: 'http://127.0.0.1:9',
    WAYPOST_LOG_LEVEL: 'trace',
    WAYPOST_TRACES: 'console',
    WAYPOST_METRICS_PORT: '0',
    WAYPOST_APP_SECRETS: `${SECRETS.appSecret},${SECRETS.oldAppSecret}`,
    WAYPOST_VERIFY_TOKENS: SECRETS.verifyToken,
    WAYPOST_PLATFORM_KEYS: SECRETS.platformKey,
    WAYPOST_MASTER_KEY: SECRETS.masterKey,
    WAYPOST_SANDBOX_APP_SECRET: SECRETS.sandboxAppSecret,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${SECRETS.collectorKey}`,
  });
  const welcome = gateway.output();
  await drive();
  await gateway.stop();
  output += gateway.output().replace(welcome, '') + welcome.replaceAll(gateway.dev.test_key, '');
});
after(async () => {
  await receiver.close();
  await store.drop();
  await rm(dataDir, { recursive: true });
});

/** Makes a call. If its answer is an error, the answer belongs to the output. */
async function call(method: string, path: string, options: CallOptions): Promise<TestAnswer> {
  const answer = await callApi(gateway.dev.base_url, method, path, options);
  if (answer.status >= 400) output += answer.text;
  return answer;
}

async function drive(): Promise<void> {
  const key = await createKey();
  const created = await call('POST', '/api/v1/endpoints', {
    key,
    body: { url: `${receiver.url}?token=${WORDS.endpointToken}` },
  });
  learned.push(created.json.secret);
  await connectChannels();
  await sendAll(key);
  await readAll(key);
  await postNotifications();
  await until(() => receiver.received.length >= 8);
  const { headers } = await call('POST', `/api/v1/endpoints/${created.json.id}/rotate-secret`, { key, body: {} });
  assert.ok(headers.get('x-request-id'));
  for (const { headers: given } of receiver.received) learned.push(given['webhook-signature'] ?? '');
  await askInternal();
}

async function createKey(): Promise<string> {
  const path = `/platform/v1/accounts/${gateway.dev.account_id}/keys`;
  const created = await call('POST', path, { key: SECRETS.platformKey, body: { name: 'Redaction', mode: 'test' } });
  learned.push(created.json.key);
  await call('GET', `/api/v1/account?key=${created.json.key}`, { key: created.json.key });
  await call('GET', '/api/v1/account', { key: `${created.json.key}x` });
  return created.json.key;
}

async function connectChannels(): Promise<void> {
  const path = `/platform/v1/accounts/${gateway.dev.account_id}/channels`;
  for (const [mode, access_token] of [
    ['test', SECRETS.accessToken],
    ['test', SECRETS.refusedToken],
    ['live', SECRETS.accessToken],
  ]) {
    const number = { phone_number_id: '4777', business_account_id: '4778', display_phone_number: `+${NUMBERS[5]}` };
    await call('POST', path, { key: SECRETS.platformKey, body: { ...number, access_token, mode } });
  }
}

async function sendAll(key: string): Promise<void> {
  const [first, second, refused, lost] = NUMBERS.map((number) => `+${number}`);
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    call('POST', '/api/v1/messages/send', { key, body, headers });
  const text = { type: 'text', text: { body: WORDS.text }, client_reference: WORDS.reference };
  const from = { from: gateway.dev.account_id };
  await send({ to: [first, refused, lost], ...text }, { 'idempotency-key': WORDS.idempotencyKey });
  await send({ to: second, ...text }, { 'idempotency-key': WORDS.idempotencyKey });
  await send({ to: second, ...text, ...from });
  const components = [{ type: 'body', parameters: [{ type: 'text', text: WORDS.parameter }] }];
  for (const name of ['order_update', 'promo_paused'])
    await send({ to: second, type: 'template', template: { name, language: 'en_US', components } });
  await send({ to: second, type: 'text', text: { body: WORDS.text, loud: true } });
  await send(`{"to": "${second}", "type": "text", "text": {"body": "${WORDS.brokenText}`);
}

async function readAll(key: string): Promise<void> {
  const query = `to=%2B${NUMBERS[0]}&client_reference=${WORDS.reference}`;
  for (const path of [`/messages?${query}`, `/messages?${query}&unknown=${WORDS.queryValue}`, `/nowhere?${query}`])
    await call('GET', `/api/v1${path}`, { key });
  const erase = `/platform/v1/accounts/${gateway.dev.account_id}/erase`;
  await call('POST', erase, { key: SECRETS.platformKey, body: { to: `+${NUMBERS[4]}` } });
}

async function postNotifications(): Promise<void> {
  const path = '/api/messaging/webhook';
  const verify = (token: string) => `${path}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1234`;
  assert.equal((await call('GET', verify(SECRETS.verifyToken), { key: null })).status, 200);
  await call('GET', verify(WORDS.queryValue), { key: null });
  const value = { messages: [{ from: NUMBERS[4], id: 'x', type: 'text', text: { body: WORDS.inboundText } }] };
  const known = JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
  for (const [secret, body] of [
    [SECRETS.appSecret, known],
    [SECRETS.sandboxAppSecret, known],
    [SECRETS.oldAppSecret, WORDS.inboundText],
    [WORDS.queryValue, `{"text": "${WORDS.unsignedText}"}`],
  ] as const) {
    const signature = signBytes(Buffer.from(body), secret);
    learned.push(signature);
    await call('POST', path, { key: null, body, headers: { 'x-hub-signature-256': signature } });
  }
}

async function askInternal(): Promise<void> {
  const [, internalUrl = ''] = /"internal_url":"([^"]+)"/.exec(gateway.output()) ?? [];
  for (const path of ['/metrics', '/readyz', '/healthz']) {
    const answer = await fetch(internalUrl + path);
    assert.equal(answer.status, 200, path);
    output += await answer.text();
  }
}

describe('all that a gateway and its sandbox print, log, trace, measure and answer to errors', () => {
  it('tells what happened', () => {
    for (const sign of ['"http.call"', '"notifications.applied"', '"delivery.failed"', 'trace.span', 'gateway.stopped'])
      assert.ok(output.includes(sign), sign);
    assert.ok(output.includes('waypost_send_entries_total'));
  });

  it('holds no secret, token, key or signature', () => {
    const bare = learned.map((secret) => secret.replace(/^(sha256=|v1,|whsec_|wp_test_)/, ''));
    assert.ok(bare.length >= 10 && bare.every((secret) => secret.length > 20));
    const found = [...Object.values(SECRETS), ...bare].filter((secret) => output.includes(secret));
    assert.deepEqual(found, []);
  });

  it('holds no number, body, query or text of anybody', () => {
    const lines = output.split('\n');
    const places = [...NUMBERS, ...Object.values(WORDS)].flatMap((text) => lines.filter((line) => line.includes(text)));
    assert.deepEqual(places, []);
  });
});
