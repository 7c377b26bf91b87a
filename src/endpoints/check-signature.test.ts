import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkSignature, readHeaders } from './check-signature.ts';
import { mintSecret, signEvent } from './deliver/sign.ts';

const SECRET = mintSecret();
const OLD_SECRET = mintSecret();
const AT = new Date('2026-05-04T03:02:01Z');
const ID = 'evt_01h455vb4pex5vsknk084sn02q';
const BODY = '{"a":1,"b":"ä"}';
const HEADERS = signEvent(ID, AT, BODY, [SECRET]);
const CONTENT = `${ID}.${HEADERS['webhook-timestamp']}.${BODY}`;

interface Given {
  headers?: Record<string, string | string[]>;
  body?: string;
  sentBody?: string;
  previousValid?: boolean;
  afterSeconds?: number;
}

function check(given: Given) {
  return find(given).problems;
}

function find({ headers, body = BODY, sentBody, previousValid = false, afterSeconds = 0 }: Given) {
  return checkSignature({
    headers: readHeaders({ ...HEADERS, ...headers }),
    body,
    sentBody,
    secret: SECRET,
    previous: { secret: OLD_SECRET, valid: previousValid },
    nowMs: AT.getTime() + afterSeconds * 1_000,
  });
}

function codes(given: Given): string[] {
  return check(given).map(({ code }) => code);
}

const signature = (text: string) => ({ headers: { 'webhook-signature': text } });
const hmac = (key: string | Buffer, content: string) => createHmac('sha256', key).update(content);

describe('the check of a signature', () => {
  it('finds nothing wrong with what was signed', () => {
    assert.deepEqual(find({}), { valid: true, problems: [] });
    assert.deepEqual(check(signature(`v1a,xyz v2,abc ${HEADERS['webhook-signature']}`)), []);
    const { 'webhook-id': id = '', ...rest } = HEADERS;
    assert.deepEqual(check({ headers: { ...rest, 'webhook-id': [], 'Webhook-Id': id } }), []);
  });

  it('accepts the secret before as long as it signs, and names it afterwards', () => {
    const headers = signEvent(ID, AT, BODY, [OLD_SECRET]);
    assert.deepEqual(check({ headers, previousValid: true }), []);
    assert.deepEqual(codes({ headers }), ['previous_secret']);
  });

  it('names headers that are missing, empty or given twice', () => {
    const name = 'webhook-id';
    assert.deepEqual(codes({ headers: { [name]: '' } }), ['header_missing']);
    assert.deepEqual(codes({ headers: { [name]: ['a', 'b'] } }), ['header_repeated']);
    assert.deepEqual(codes({ headers: { 'WEBHOOK-ID': 'b' } }), ['header_repeated']);
    assert.deepEqual(
      readHeaders({}).problems.map(({ code }) => code),
      ['header_missing', 'header_missing', 'header_missing'],
    );
  });

  it('names a timestamp that is too old, in the future, in milliseconds or none', () => {
    assert.deepEqual(codes({ afterSeconds: 300 }), []);
    assert.deepEqual(codes({ afterSeconds: 301 }), ['timestamp_too_old']);
    assert.deepEqual(codes({ afterSeconds: -300 }), []);
    assert.deepEqual(codes({ afterSeconds: -301 }), ['timestamp_in_future']);
    for (const text of [String(AT.getTime()), 'now', '1.5', '-1'])
      assert.deepEqual(codes({ headers: { 'webhook-timestamp': text } }), [
        'timestamp_malformed',
        'signature_mismatch',
      ]);
  });

  it('names a secret that stands where the signature should be', () => {
    assert.deepEqual(codes(signature(`v1,${SECRET}`)), ['secret_in_signature']);
    assert.deepEqual(codes(signature(SECRET)), ['secret_in_signature']);
    assert.equal(find(signature(SECRET)).valid, false);
  });

  it('names a secret that stands beside a right signature, which is valid all the same', () => {
    const { valid, problems } = find(signature(`${HEADERS['webhook-signature']} v1,${SECRET} v2,abc`));
    assert.deepEqual([valid, problems.map(({ code }) => code)], [true, ['secret_in_signature']]);
    const late = find({ ...signature(`v1,${SECRET} ${HEADERS['webhook-signature']}`), afterSeconds: 301 });
    assert.deepEqual([late.valid, late.problems.length], [false, 2]);
  });

  it('names a signature of another form or version', () => {
    const right = hmac(Buffer.from(SECRET.slice(6), 'base64'), CONTENT);
    const digest = right.digest();
    assert.deepEqual(codes(signature(`v1,${digest.toString('hex')}`)), ['signature_malformed']);
    assert.deepEqual(codes(signature(`v1,${digest.toString('base64url')}`)), ['signature_malformed']);
    assert.deepEqual(codes(signature(digest.toString('base64'))), ['signature_malformed']);
    assert.deepEqual(codes(signature(`sha256=${digest.toString('hex')}`)), ['signature_malformed']);
    assert.deepEqual(codes(signature(`v2,${digest.toString('base64')}`)), ['signature_version_unknown']);
  });

  it('names a secret that was used as text', () => {
    for (const key of [SECRET, SECRET.slice(6)])
      assert.deepEqual(codes(signature(`v1,${hmac(key, CONTENT).digest('base64')}`)), ['secret_not_decoded']);
  });

  it('names content that was signed without its id or timestamp', () => {
    const key = Buffer.from(SECRET.slice(6), 'base64');
    for (const content of [BODY, `${HEADERS['webhook-timestamp']}.${BODY}`, `${ID}.${BODY}`])
      assert.deepEqual(codes(signature(`v1,${hmac(key, content).digest('base64')}`)), ['content_incomplete']);
  });

  it('names a body that was changed, and how', () => {
    const detail = (given: Given) => check(given).map((problem) => [problem.code, problem.detail].join(' '))[0] ?? '';
    assert.match(detail({ body: '{"a": 1, "b": "ä"}' }), /^body_changed .*written again/);
    assert.match(detail({ body: '{"b":"ä","a":1}', sentBody: BODY }), /^body_changed .*written again/);
    assert.match(detail({ body: '{"a":1,"b":"\\u00e4"}' }), /^body_changed .*written again/);
    assert.match(detail({ body: `${BODY}\n` }), /^body_changed .*around it/);
    assert.match(detail({ body: '{"a":2}', sentBody: BODY }), /^body_changed .*not the body that was sent/);
    const withBreak = signEvent(ID, AT, `${BODY}\n`, [SECRET]);
    assert.match(detail({ headers: withBreak }), /^body_changed .*line break at the end/);
    assert.deepEqual(codes({ body: '{"a":2}' }), ['signature_mismatch']);
  });

  it('never tells a secret or the right signature, whatever it is given', () => {
    const right = HEADERS['webhook-signature'] ?? '';
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (id, timestamp, given, body) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given };
        const told = JSON.stringify(check({ headers, body, sentBody: BODY }));
        assert.ok(!told.includes(SECRET.slice(6)) && !told.includes(right.slice(3)));
        assert.notEqual(told, '[]');
      }),
    );
  });

  it('is not stopped by a body that nests without end', () => {
    assert.deepEqual(codes({ body: '['.repeat(400_000) + ']'.repeat(400_000), sentBody: BODY }), ['body_changed']);
  });

  it('does not take longer, or say more, the more signatures there are', () => {
    const given = `v1,${'A'.repeat(43)}= `;
    const begun = process.cpuUsage();
    assert.deepEqual(codes({ ...signature(given.repeat(10_000)), body: ' '.repeat(500_000) }), ['signature_mismatch']);
    assert.deepEqual(codes(signature('v1,a '.repeat(200_000))), ['signature_malformed']);
    assert.deepEqual(codes(signature('v1,a v2,a v1,b v3,c')), ['signature_malformed', 'signature_version_unknown']);
    // Of the processor, because other tests may have it meanwhile.
    const tookMs = process.cpuUsage(begun).user / 1_000;
    assert.ok(tookMs < 3_000, `It took ${Math.round(tookMs)} ms`);
  });
});

it('costs no more where it knows what was sent, unless that is what was signed', () => {
  // Each of them was put in order and written anew, to be compared with what was sent.
  const body = `[${'{},'.repeat(300_000)}{}]`;
  const costOf = (given: Given) => {
    const begun = process.cpuUsage();
    assert.deepEqual(codes({ body, ...given }), ['signature_mismatch']);
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  // The cheapest of several rounds, in turn: what else the process and the machine do must not count.
  const cheapest = { unknown: Number.POSITIVE_INFINITY, known: Number.POSITIVE_INFINITY };
  const isCheap = () => cheapest.known < 1.7 * cheapest.unknown;
  for (let round = 0; round < 20 && (round < 3 || !isCheap()); round++) {
    cheapest.unknown = Math.min(cheapest.unknown, costOf({}));
    cheapest.known = Math.min(cheapest.known, costOf({ sentBody: '{"a":2}' }));
  }
  assert.ok(isCheap(), `${cheapest.known} beside ${cheapest.unknown} µs`);
});
