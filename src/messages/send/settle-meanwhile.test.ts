import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { scrapeOf } from '../../../test/observe/exposition.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { until } from '../../../test/support/until.ts';
import { recoverRequests } from '../commit/recover.ts';

/** The sandbox refuses it for now, so that its message takes 5 s. */
const SLOW = '+15552000005';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ sandbox: { statuses: 'off' } });
});
after(() => gateway.stop());

const send = (to: string[], key: string) =>
  gateway.call('POST', '/api/v1/messages/send', {
    body: { to, type: 'text', text: { body: 'Hello' } },
    headers: { 'idempotency-key': key },
  });
const messageTo = async (to: string) =>
  (await gateway.call('GET', `/api/v1/messages?to=${encodeURIComponent(to)}&limit=1`)).json.data[0];
const requestOf = async (to: string) =>
  (await gateway.call('GET', `/api/v1/requests/${(await messageTo(to)).request_id}`)).json;

describe('a send with one slow recipient', () => {
  it('is read with what is known of the others, and ends with one answer and one history', async () => {
    const [good, bad] = ['+447700900951', '+15550131026'];
    const answer = send([good, SLOW, bad], 'meanwhile');
    await until(async () => (await messageTo(good)) !== undefined);
    // The two that are quick may be committed one after the other.
    const { accepted_count, failed_count, completed_at, results } = await until(async () => {
      const read = await requestOf(good);
      return read.pending_count <= 1 ? read : undefined;
    });
    assert.deepEqual([accepted_count, failed_count, completed_at], [1, 1, null]);
    assert.equal(results[1].status, 'transmitting');
    const { data } = (await gateway.call('GET', '/api/v1/messages?status=transmitting')).json;
    assert.deepEqual(
      data.map((message: { to: string }) => message.to),
      [SLOW],
    );

    const { json, text } = await answer;
    assert.deepEqual([json.accepted_count, json.failed_count], [2, 1]);
    for (const { id, status } of json.results) {
      const { timeline } = (await gateway.call('GET', `/api/v1/messages/${id}`)).json;
      assert.deepEqual(
        timeline.map((step: { status: string }) => step.status),
        [status],
      );
    }
    assert.equal((await send([good, SLOW, bad], 'meanwhile')).text, text);
    assert.deepEqual((await gateway.call('GET', '/api/v1/events')).json.data, [], 'the answer told it all');
  });

  it('keeps what is known when its node dies', async () => {
    const good = '+447700900952';
    const answer = send([good, SLOW], 'died');
    await until(async () => (await messageTo(good))?.status === 'accepted');
    const [running] = await gateway.database.query<{ node_id: string }>(
      'select node_id from request where completed_at is null',
    );
    assert.equal(
      await recoverRequests(gateway.database, running?.node_id ?? '', gateway.url, pino({ level: 'silent' })),
      1,
    );
    const { accepted_count, unknown_count } = await requestOf(good);
    assert.deepEqual([accepted_count, unknown_count], [1, 1]);
    await answer;
  });

  it('commits at the end what was refused meanwhile, and its gateway lives on', async () => {
    const good = '+447700900953';
    // The first statement that writes this message is refused, in a way that is no passing failure.
    await gateway.database.query('create sequence once');
    await gateway.database.query(`create function refuse_once() returns trigger language plpgsql as $$ begin
      if nextval('once') = 1 then raise exception 'refused' using errcode = 'XX000'; end if; return new; end $$`);
    await gateway.database.query(`create trigger refuse_once before insert on message for each row
      when (new.phone = '${good}') execute function refuse_once()`);
    const countAccepted = async () =>
      (await scrapeOf(gateway)).sum('waypost_send_entries_total', { status: 'accepted' });
    const before = await countAccepted();
    const { json } = await send([good, SLOW], 'refused');
    assert.equal(json.accepted_count, 2);
    assert.equal((await countAccepted()) - before, 2, 'each entry of the answer is counted once');
    const [once] = await gateway.database.query<{ calls: number }>('select last_value as calls from once');
    assert.ok((once?.calls ?? 0) > 1, 'it was refused once');
    const { accepted_count, completed_at } = await requestOf(good);
    assert.deepEqual([accepted_count, completed_at === null], [2, false]);
  });
});
