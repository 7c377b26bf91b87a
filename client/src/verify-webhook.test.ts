import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { verifyWebhook, WebhookVerificationError } from './index.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const OTHER = `whsec_${randomBytes(24).toString('base64')}`;
const ID = 'evt_01h455vb4pex5vsknk084sn02q';
const BODY = JSON.stringify({
  id: ID,
  type: 'message.delivered',
  sequence: 7,
  timestamp: '2026-11-20T20:34:01.994Z',
  account_id: '01a1faa9-0000-7000-8000-000000000000',
  data: { message: { id: 'msg_01h455vb4pex5vsknk084sn02q', status: 'delivered', text: 'Grüße 👋' } },
});

describe('verifyWebhook', () => {
  it('returns the event, whose type narrows it, of what the public libraries have signed', async () => {
    for (const library of [StandardWebhook, SvixWebhook]) {
      const event = await verifyWebhook({ headers: signed({ library }), body: BODY, secrets: SECRET });
      assert.equal(event.type === 'message.delivered' && event.data.message.status, 'delivered');
    }
  });

  it('takes headers and bodies as every server has them', async () => {
    const headers = signed();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const bytes = await new Response(BODY).arrayBuffer();
    for (const given of [headers, upper, lists, new Headers(headers)])
      for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY), bytes])
        assert.equal((await verifyWebhook({ headers: given, body, secrets: [SECRET] })).id, ID);
  });

  it('takes bytes of another context, as test runners and edge runtimes have', async () => {
    for (const make of ['new Uint8Array(given)', 'new Uint8Array(given).buffer']) {
      const body = runInNewContext(make, { given: Buffer.from(BODY) });
      assert.equal((await verifyWebhook({ headers: signed(), body, secrets: SECRET })).id, ID, make);
    }
  });

  it('takes one right signature among several, and one right secret among several', async () => {
    const both = { ...signed(), 'webhook-signature': `${signatureBy(OTHER)} v1a,unknown ${signatureBy(SECRET)}` };
    for (const secrets of [SECRET, OTHER, [OTHER, SECRET], [`whsec_${randomBytes(32).toString('base64')}`, SECRET]])
      assert.equal((await verifyWebhook({ headers: both, body: BODY, secrets })).id, ID);
    assert.equal((await verifyWebhook({ headers: both, body: BODY, secrets: SECRET.slice(6) })).id, ID);
  });

  it('takes no longer the more signatures there are, which anybody may send', async () => {
    const many = { ...signed(), 'webhook-signature': `${signatureBy(OTHER)} `.repeat(5_000) };
    const begunMs = performance.now();
    await assert.rejects(
      verifyWebhook({ headers: many, body: ' '.repeat(1 << 20), secrets: SECRET }),
      WebhookVerificationError,
    );
    const tookMs = performance.now() - begunMs;
    assert.ok(tookMs < 2_000, `It took ${Math.round(tookMs)} ms`);
  });

  for (const [code, change] of [
    ['header_missing', { 'webhook-id': '' }],
    ['header_missing', { 'webhook-signature': undefined }],
    ['header_repeated', { 'webhook-signature': ['v1,a', 'v1,b'] }],
    ['timestamp_malformed', { 'webhook-timestamp': 'soon' }],
    ['timestamp_malformed', { 'webhook-timestamp': String(Date.now()) }],
    ['signature_malformed', { 'webhook-signature': 'abc' }],
    ['signature_malformed', { 'webhook-signature': 'v1,abc=' }],
    ['signature_malformed', { 'webhook-signature': `v1,${'0'.repeat(64)}` }],
    ['signature_version_unknown', { 'webhook-signature': 'v1a,abc' }],
    ['signature_mismatch', { 'webhook-id': 'evt_other' }],
    ['signature_mismatch', { 'webhook-signature': signatureBy(OTHER) }],
  ] as const)
    it(`says what is wrong: ${code} with ${JSON.stringify(change).slice(0, 50)}`, () => assertSays(code, change));

  it('says what is wrong: signature_mismatch with another time', () =>
    assertSays('signature_mismatch', { 'webhook-timestamp': String(nowSeconds() + 60) }));

  it('says when a time is too far away, by its own tolerance or five minutes', async () => {
    const verifyAt = (seconds: number, toleranceSeconds?: number) =>
      verifyWebhook({
        headers: signed({ atSeconds: nowSeconds() + seconds }),
        body: BODY,
        secrets: SECRET,
        toleranceSeconds,
      });
    assert.equal((await rejection(verifyAt(-310))).code, 'timestamp_too_old');
    assert.equal((await rejection(verifyAt(310))).code, 'timestamp_in_future');
    assert.equal((await rejection(verifyAt(-20, 10))).code, 'timestamp_too_old');
    assert.equal((await verifyAt(-290)).id, ID);
    assert.equal((await verifyAt(290)).id, ID);
    assert.equal((await verifyAt(-3_000, 3_600)).id, ID);
  });

  it('takes no tolerance that is no number, with which any time would be close enough', async () => {
    const headers = signed({ atSeconds: nowSeconds() - 1_000_000 });
    for (const toleranceSeconds of [Number.NaN, Number(undefined), -1])
      await assert.rejects(verifyWebhook({ headers, body: BODY, secrets: SECRET, toleranceSeconds }), {
        name: 'TypeError',
        message: /toleranceSeconds/,
      });
  });

  it('says that a body which is signed is no event', async () => {
    for (const body of ['', '[]', '{}', '{"id":"a","type":"b","timestamp":"c"}', 'null', '{'])
      assert.equal(
        (await rejection(verifyWebhook({ headers: signed({ body }), body, secrets: SECRET }))).code,
        'not_an_event',
      );
  });

  it('throws a TypeError for what the receiver itself has wrong, without the secret', async () => {
    // As an environment gives it that has no such variable.
    const missing: string = JSON.parse('null');
    for (const secrets of [missing, '', 'whsec_', 'whsec_not base64', 'whsec_abc', []])
      await assert.rejects(verifyWebhook({ headers: signed(), body: BODY, secrets }), (error) => {
        assert.ok(error instanceof TypeError);
        return /secret/.test(error.message) && !error.message.includes('not base64');
      });
    const parsed: string = JSON.parse(BODY);
    await assert.rejects(verifyWebhook({ headers: signed(), body: parsed, secrets: SECRET }), TypeError);
    const forgotten: Record<string, string> = JSON.parse('null');
    await assert.rejects(verifyWebhook({ headers: forgotten, body: BODY, secrets: SECRET }), {
      name: 'TypeError',
      message: /^headers must be those of the request/,
    });
  });

  it('never tells what would be right', async () => {
    for (const change of [{ 'webhook-id': 'evt_other' }, { 'webhook-signature': signatureBy(OTHER) }]) {
      const error = await rejection(
        verifyWebhook({ headers: { ...signed(), ...change }, body: BODY, secrets: SECRET }),
      );
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /[A-Za-z0-9+/]{43}=|whsec_/);
    }
  });

  it('judges as the public libraries do, whatever one character is changed', async () => {
    const change = fc.record({
      part: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'),
      place: fc.nat(400),
      character: fc.string({ minLength: 0, maxLength: 1, unit: 'grapheme-ascii' }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ part, place, character }) => {
        const given: Record<string, string> = { ...signed(), body: BODY };
        const text = given[part] ?? '';
        const at = place % text.length;
        given[part] = text.slice(0, at) + character + text.slice(at + 1);
        const { body = '', ...headers } = given;
        const ours = await verifyWebhook({ headers, body, secrets: SECRET }).then(
          () => true,
          () => false,
        );
        for (const library of [new StandardWebhook(SECRET), new SvixWebhook(SECRET)])
          assert.equal(
            ours,
            verifies(() => library.verify(body, headers)),
            JSON.stringify(given),
          );
      }),
      { numRuns: 300 },
    );
  });
});

interface Signing {
  library?: typeof StandardWebhook | typeof SvixWebhook;
  body?: string;
  atSeconds?: number;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function signed({
  library = StandardWebhook,
  body = BODY,
  atSeconds = nowSeconds(),
}: Signing = {}): Record<string, string> {
  const signature = new library(SECRET).sign(ID, new Date(atSeconds * 1_000), body);
  return { 'webhook-id': ID, 'webhook-timestamp': String(atSeconds), 'webhook-signature': signature };
}

function signatureBy(secret: string): string {
  return new StandardWebhook(secret).sign(ID, new Date(), BODY);
}

function flat(headers: Record<string, string | readonly string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]));
}

function verifies(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false; // It is refused, which is the answer.
  }
}

async function assertSays(code: string, change: Record<string, string | readonly string[] | undefined>): Promise<void> {
  const headers = { ...signed(), ...change };
  const error = await rejection(verifyWebhook({ headers, body: BODY, secrets: SECRET }));
  assert.equal(error.code, code);
  assert.throws(() => new StandardWebhook(SECRET).verify(BODY, flat(headers)), 'the public library refuses it too');
}

async function rejection(promise: Promise<unknown>): Promise<WebhookVerificationError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof WebhookVerificationError, String(error));
  return error;
}
