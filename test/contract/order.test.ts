import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { ApiErrorCode } from '../../src/kernel/errors.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Scope } from '../../src/kernel/principal.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENT } from '../support/patient.ts';
import { assertProblem } from '../support/problem.ts';
import { transmitsOf } from '../support/transmits.ts';

const RECIPIENTS_A_SECOND = 50;
/** A send to this number is under way until the test ends it: the sandbox takes the message, and does not answer for a minute. */
const SILENT = '+15552000003';
/** One request that uses up the recipients' rate, and one that asks. */
const REQUESTS_A_SECOND = 2;
/** After this there is room for another request. */
const USED_UP_MS = 1_000 / REQUESTS_A_SECOND;
const TRIES_MAX = 20;

/** A send with some faults, and the state of the account and the key that causes them. */
interface Attempt {
  method: string;
  path: string;
  keyIsWrong: boolean;
  suspended: boolean;
  scopes: Scope[] | undefined;
  requestsUsedUp: boolean;
  contentType: string;
  tooLarge: boolean;
  broken: boolean;
  idempotency: 'none' | 'malformed' | 'mismatch' | 'in_flight';
  body: Record<string, unknown>;
  channelRemoved: boolean;
  recipientsUsedUp: boolean;
}

interface Fault {
  code: ApiErrorCode;
  rank: number;
  change?: Partial<Attempt>;
  /** A member of the body that is changed. */
  member?: Record<string, unknown>;
}

/** Every fault of a send, in the order in which they are answered. Faults of the same rank exclude each other. */
const FAULTS: Fault[] = [
  { code: 'not_found', rank: 1, change: { path: '/api/v1/messages/send/' } },
  { code: 'method_not_allowed', rank: 1, change: { method: 'PUT' } },
  { code: 'invalid_api_key', rank: 2, change: { keyIsWrong: true } },
  { code: 'account_suspended', rank: 3, change: { suspended: true } },
  { code: 'insufficient_scope', rank: 4, change: { scopes: ['messages:read'] } },
  { code: 'rate_limited', rank: 5, change: { requestsUsedUp: true } },
  { code: 'unsupported_media_type', rank: 6, change: { contentType: 'text/plain' } },
  { code: 'payload_too_large', rank: 7, change: { tooLarge: true } },
  { code: 'malformed_json', rank: 8, change: { broken: true } },
  { code: 'idempotency_key_invalid', rank: 9, change: { idempotency: 'malformed' } },
  { code: 'idempotency_mismatch', rank: 9, change: { idempotency: 'mismatch' } },
  { code: 'idempotency_in_flight', rank: 9, change: { idempotency: 'in_flight' } },
  { code: 'invalid_request', rank: 10, member: { bogus: true } },
  { code: 'too_many_recipients', rank: 11, member: { to: numbers(51) } },
  { code: 'unknown_channel', rank: 12, member: { from: 'chn_01h455vb4pex5vsknk084sn02q' } },
  { code: 'no_channel', rank: 13, change: { channelRemoved: true } },
  { code: 'rate_limited', rank: 14, change: { recipientsUsedUp: true } },
];
const ACCOUNT = '/platform/v1/accounts/01890a5d-ac96-774b-bcce-b302099a8057';
const ENDPOINT = '/api/v1/endpoints/end_01h455vb4pex5vsknk084sn02q';
/** Every call that names something by its id and may have a wrong body, with such a body. There is nothing of these ids. */
const CALLS_WITH_IDS: [method: string, path: string, body: unknown][] = [
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
/** With a fault of these ranks no send is possible, and so the recipients' rate cannot be used up. */
const NO_SEND_POSSIBLE = [3, 4, 13];

let gateway: TestGateway;
let held: Promise<{ status: number }>;
before(async () => {
  gateway = await startTestGateway({
    settings: {
      WAYPOST_SENDS_MAX: '1',
      WAYPOST_RATE_REQUESTS: String(REQUESTS_A_SECOND),
      WAYPOST_RATE_RECIPIENTS: String(RECIPIENTS_A_SECOND),
      ...PATIENT,
    },
  });
  held = gateway.call('POST', '/api/v1/messages/send', { body: { ...goodBody(), to: SILENT } });
});
after(() => gateway.stop());

describe('of several faults of a send', () => {
  it('the first one answers, whichever two there are, and nothing is stored or transmitted', async () => {
    for (const [place, first] of FAULTS.entries()) {
      await assertAnswers(first.code, [first]);
      for (const second of FAULTS.slice(place + 1)) {
        if (second.rank === first.rank || (second.rank === 14 && NO_SEND_POSSIBLE.includes(first.rank))) continue;
        await assertAnswers(first.code, [first, second]);
      }
    }
    // Without any other fault, the answer is that of the send under way.
    await assertAnswers('unavailable', []);
    assert.equal(await Promise.race([held, 'under way']), 'under way');
    assert.equal((await transmitsOf(gateway.sandbox)).length, 1);
    assert.deepEqual(await gateway.database.query('select count(*)::integer as count from request'), [{ count: 1 }]);
    await gateway.sandbox.close();
    assert.equal((await held).status, 200);
  });
});

describe('a body that is not valid', () => {
  for (const [method, path, body] of CALLS_WITH_IDS)
    it(`is told before an id that leads nowhere: ${method} ${path} ${JSON.stringify(body)}`, async () => {
      const key = path.startsWith('/platform/') ? gateway.platformKey : await gateway.createKey({});
      assertProblem(await gateway.call(method, path, { key, body }), 'invalid_request');
    });
});

async function assertAnswers(code: ApiErrorCode, faults: Fault[]): Promise<void> {
  const attempt: Attempt = {
    method: 'POST',
    path: '/api/v1/messages/send',
    keyIsWrong: false,
    suspended: false,
    scopes: undefined,
    requestsUsedUp: false,
    contentType: 'application/json',
    tooLarge: false,
    broken: false,
    idempotency: 'none',
    body: goodBody(),
    channelRemoved: false,
    recipientsUsedUp: false,
  };
  for (const { change, member } of faults) {
    Object.assign(attempt, change);
    Object.assign(attempt.body, member);
  }
  let { answer, tookMs } = await make(attempt);
  // On a busy machine a rate that was used up may have filled again. Then the answer proves nothing, and the test is repeated.
  for (let tries = 1; tookMs > USED_UP_MS && tries < TRIES_MAX; tries++) ({ answer, tookMs } = await make(attempt));
  const story = faults.map((fault) => fault.code).join(' and ');
  assert.equal(answer.json?.code, code, `${story}: ${answer.text}`);
  assertProblem(answer, code);
  const keyIsKnown = !attempt.keyIsWrong;
  for (const field of ['ratelimit', 'ratelimit-policy']) assert.equal(answer.headers.has(field), keyIsKnown, story);
  assert.equal(answer.headers.get('idempotent-replayed'), null);
}

/** `tookMs`: the time from the first use of the rates to the answer. */
async function make(attempt: Attempt) {
  const accountId = await gateway.createAccount('Order');
  if (attempt.suspended)
    await gateway.database.query('update account set suspended_at = now() where id = $1', [accountId]);
  if (attempt.channelRemoved)
    await gateway.database.query(`update channel set status = 'removed' where account_id = $1`, [accountId]);
  const wish = attempt.scopes === undefined ? { accountId } : { accountId, scopes: attempt.scopes };
  const key = await gateway.createKey(wish);
  const startMs = performance.now();
  // A send that is refused for capacity counts against the recipients' rate all the same.
  if (attempt.recipientsUsedUp) await gateway.call('POST', '/api/v1/messages/send', { key, body: goodBody() });
  while (attempt.requestsUsedUp && (await gateway.call('GET', '/api/v1/account', { key })).status !== 429);
  const json = JSON.stringify(attempt.body);
  const text = (attempt.broken ? json.slice(1) : json) + (attempt.tooLarge ? ' '.repeat(1 << 20) : '');
  const answer = await gateway.call(attempt.method, attempt.path, {
    key: attempt.keyIsWrong ? `${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}` : key,
    body: text,
    headers: { 'content-type': attempt.contentType, ...(await idempotencyHeader(attempt, accountId, text)) },
  });
  return { answer, tookMs: performance.now() - startMs };
}

async function idempotencyHeader({ idempotency }: Attempt, accountId: string, text: string) {
  if (idempotency === 'none') return {};
  if (idempotency === 'malformed') return { 'idempotency-key': 'a b' };
  const bytes = idempotency === 'mismatch' ? 'another body' : text;
  const sha256 = createHash('sha256').update(bytes).digest();
  await gateway.database.query(
    `insert into idempotency (account_id, mode, key, request_id, body_sha256, expires_at)
     values ($1, 'test', 'used', $2, $3, now() + interval '1 hour')`,
    [accountId, newId(), sha256],
  );
  return { 'idempotency-key': 'used' };
}

function goodBody(): Record<string, unknown> {
  return { to: numbers(RECIPIENTS_A_SECOND), type: 'text', text: { body: 'Hello' } };
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `+4477009001${String(place).padStart(2, '0')}`);
}
