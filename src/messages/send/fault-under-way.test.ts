import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { asSandbox, lineOf, messagesBody, postSigned, statusOf } from '../../../test/support/notifications.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';
import { until } from '../../../test/support/until.ts';
import { parseId } from '../../kernel/ids.ts';
import { createSealer } from '../../kernel/sealed.ts';

const GOOD = '+447700900301';
/** The sandbox refuses the access token for it, which suspends the channel. */
const ACCESS_REFUSED = '+15550000190';
/** Before it a machine that is busy with much else has to store what is reported of the message. */
const DEADLINE_MS = 8_000;
const LOST_GRANT = '42501';

let gateway: TestGateway;
afterEach(() => gateway.stop());

const send = (to: string[], key = 'k') =>
  gateway.call('POST', '/api/v1/messages/send', {
    body: { to, type: 'text', text: { body: 'Hello' } },
    headers: { 'idempotency-key': key },
  });
const codesOf = (results: { status: string; error?: { code: string } }[]) =>
  results.map(({ status, error }) => error?.code ?? status);

/** Has the database refuse such a change with an error of this code. */
async function refuse(change: string, code: string): Promise<void> {
  await gateway.database.query(`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'refused' using errcode = '${code}'; end $$`);
  await gateway.database.query(`create trigger refuse before ${change} for each row execute function refuse()`);
}

const countRunning = async () =>
  (await gateway.database.query('select 1 from request where completed_at is null')).length;

describe('a send that meets a fault after its first commit', () => {
  beforeEach(async () => {
    gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  });

  for (const [fault, code] of [
    ['a deadlock', '40P01'],
    ['an error of ours', 'XX000'],
  ] as const)
    it(`while it suspends its channel, ${fault}, has every outcome, and its request ends`, async () => {
      await refuse('update of status on channel', code);
      const first = await send([GOOD, ACCESS_REFUSED]);
      assert.deepEqual([first.status, codesOf(first.json.results)], [200, ['accepted', 'sender_unauthorized']]);
      assert.equal(await countRunning(), 0);
      assert.equal((await send([GOOD, ACCESS_REFUSED])).text, first.text);
    });

  it('of which nobody knows whether it went out is unknown, and its request ends', async () => {
    await send([GOOD], 'before');
    // No header can carry it, so the request of the provider is impossible.
    const [channel] = await gateway.database.query<{ id: string }>('select id from channel');
    const sealed = createSealer(gateway.secrets.masterKey).seal('two\nlines', channel?.id ?? '');
    await gateway.database.query('update channel set access_token_sealed = $1', [sealed]);
    const { json } = await until(async () => {
      const answer = await send([GOOD], `k${performance.now()}`);
      return answer.json.accepted_count === 0 ? answer : undefined;
    });
    assert.deepEqual(codesOf(json.results), ['outcome_unknown']);
    assert.equal(await countRunning(), 0);
  });
});

it('a send whose outcomes the database refuses is answered from memory, and they are stored once it takes them', async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  await refuse('update on request', LOST_GRANT);
  const first = await send([GOOD]);
  assert.deepEqual([first.status, codesOf(first.json.results)], [200, ['accepted']]);
  assert.equal(await countRunning(), 1);
  await gateway.database.query('drop trigger refuse on request');
  await until(async () => (await countRunning()) === 0);
  assert.equal((await send([GOOD])).text, first.text);
  assert.equal((await transmitsOf(gateway.sandbox, GOOD)).length, 1);
});

it('outcomes that the database refuses do not hold up a stop', async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
  await refuse('update on request', LOST_GRANT);
  assert.equal((await send([GOOD])).status, 200);
  await gateway.app.drain();
  assert.equal(await countRunning(), 1);
});

it('a send whose answer cannot be made is an error, but its outcomes are stored', async () => {
  gateway = await startTestGateway({
    settings: { WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS) },
    sandbox: { statuses: 'off', latencyMs: DEADLINE_MS + 1_000 },
  });
  const sent = send([GOOD]);
  const [seen] = await until(async () => {
    const transmits = await transmitsOf(gateway.sandbox, GOOD);
    return transmits.length > 0 ? transmits : undefined;
  });
  const messageId = seen?.biz_opaque_callback_data ?? '';
  const status = statusOf('failed', { providerId: seen?.id ?? '', messageId });
  await postSigned(asSandbox(gateway), messagesBody(await lineOf(gateway), { statuses: [status] }));
  // No gateway stores a code that is no text. To look such a one up throws.
  const code = '{"toString": null, "valueOf": null}';
  const store = `update message set error = '{"code": ${code}}' where id = $1 and status = 'failed' returning id`;
  await until(async () => (await gateway.database.query(store, [parseId('msg', messageId)])).length === 1);
  assert.equal((await sent).status, 500);
  await until(async () => (await countRunning()) === 0);
  const [row] = await gateway.database.query('select outcome from message');
  assert.deepEqual(row, { outcome: 'unknown' });
  assert.equal((await send([GOOD])).json.code, 'idempotency_in_flight', 'the key stays taken');
});
