import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { lineOf, messagesBody, postAndApply, statusOf } from '../../../test/support/notifications.ts';
import { transmitsOf } from '../../../test/support/transmits.ts';
import { undisturbed } from '../../../test/support/undisturbed.ts';
import { until } from '../../../test/support/until.ts';
import { countWaitingForLocks } from '../../../test/support/waiting-for-locks.ts';

const DEADLINE_MS = 1_500;
/** The provider answers after the deadline, and after the time limit of a transmit. */
const LATENCY_MS = 3_000;
const PROVIDER_TIMEOUT_MS = 2_000;
const CONNECTIONS = 3;

const lines: Record<string, unknown>[] = [];
let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    settings: {
      WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS),
      WAYPOST_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      WAYPOST_PROVIDER_CONNECTIONS: String(CONNECTIONS),
    },
    sandbox: { latencyMs: LATENCY_MS, statuses: 'off' },
  });
});
after(() => gateway.stop());

const send = (to: string | string[], headers: Record<string, string> = {}) =>
  gateway.call('POST', '/api/v1/messages/send', { body: { to, type: 'text', text: { body: 'Hello' } }, headers });
let numbers = 0;
const newNumber = () => `+44770090${String(3000 + numbers++)}`;
const read = async (id: string) => (await gateway.call('GET', `/api/v1/messages/${id}`)).json;

describe('at the deadline of a send', () => {
  it('what is in flight is unknown, and is settled by the answer that comes later', () =>
    undisturbed(async () => {
      const startMs = performance.now();
      const to = newNumber();
      const { json } = await send(to);
      assert.ok(performance.now() - startMs < LATENCY_MS, 'answered before the provider was');
      const [entry] = json.results;
      assert.deepEqual([entry.status, entry.error.code, entry.message_id], ['unknown', 'outcome_unknown', undefined]);
      assert.equal((await read(entry.id)).status, 'unknown');
      await until(async () => (await read(entry.id)).status === 'accepted');
      const settled = await read(entry.id);
      const [seen] = await transmitsOf(gateway.sandbox, to);
      assert.deepEqual([settled.error, settled.message_id], [null, seen?.id]);
      const steps = settled.timeline.map(({ status, note }: { status: string; note: string | null }) => [status, note]);
      assert.deepEqual(steps, [
        ['unknown', null],
        ['accepted', null],
      ]);
      const again = (await gateway.call('GET', `/api/v1/requests/${json.request_id}`)).json;
      assert.deepEqual([again.accepted_count, again.unknown_count, again.pending_count], [1, 0, 0]);
    }));

  it('what is in flight, and whose connection then breaks, stays unknown and is told once', () =>
    undisturbed(async () => {
      // The sandbox takes as long for both: it does not take the first message and breaks its connection, and accepts the second.
      const { json } = await send(['+15552000001', newNumber()]);
      const [broken, answered] = json.results.map(({ id }: { id: string }) => id);
      const atFirst = await read(broken);
      assert.deepEqual([atFirst.status, (await read(answered)).status], ['unknown', 'unknown']);
      await until(async () => (await read(answered)).status === 'accepted');
      assert.deepEqual(await read(broken), atFirst);
      const events = (await gateway.call('GET', '/api/v1/events?after=0&limit=100&type=message.unknown')).json.data;
      const told = events.filter(({ data }: { data: { message: { id: string } } }) => data.message.id === broken);
      assert.equal(told.length, 1);
      assert.equal((await transmitsOf(gateway.sandbox, '+15552000001')).length, 1);
    }));

  it('what the provider refuses later may turn out to have been sent, unless it reports the failure too', () =>
    undisturbed(async () => {
      const line = await lineOf(gateway);
      const { json } = await send(['+15550131047', '+15550131049']);
      const refused = json.results.map(({ id }: { id: string }) => id);
      for (const id of refused) await until(async () => (await read(id)).status === 'failed');
      const courses = [['sent'], ['failed', 'sent']];
      const statuses = courses.flatMap((course, place) =>
        course.map((status) => statusOf(status, { providerId: `wamid.${refused[place]}`, messageId: refused[place] })),
      );
      await postAndApply(gateway, messagesBody(line, { statuses }));
      const [sent, failed] = await Promise.all(refused.map(read));
      assert.deepEqual([sent.status, sent.error], ['sent', null]);
      assert.deepEqual([failed.status, failed.error.code], ['failed', 'marketing_limited']);
      const steps = sent.timeline.map(({ status, note }: { status: string; note: string | null }) => [status, note]);
      assert.deepEqual(steps, [
        ['unknown', null],
        ['failed', null],
        ['sent', null],
      ]);
      assert.match(
        sent.timeline[1].error.message,
        /neither written to nor called/,
        'it tells what is known of the window',
      );
    }));

  it('what had no turn yet is not attempted, and never reaches the provider', () =>
    undisturbed(async () => {
      const to = Array.from({ length: 5 }, newNumber);
      const { json } = await send(to);
      const seen = (await transmitsOf(gateway.sandbox)).map((transmit) => transmit.to);
      const inFlight = json.results.filter(({ status }: { status: string }) => status === 'unknown');
      const others = json.results.filter(({ status }: { status: string }) => status === 'failed');
      assert.deepEqual([inFlight.length, others.length], [CONNECTIONS, to.length - CONNECTIONS]);
      for (const entry of others) {
        assert.deepEqual([entry.error.code, entry.error.retryable], ['not_attempted', true]);
        assert.ok(!seen.includes(entry.to), 'not transmitted');
        assert.equal((await read(entry.id)).status, 'failed');
      }
      for (const entry of inFlight) await until(async () => (await read(entry.id)).status === 'accepted');
      const seenAtLast = (await transmitsOf(gateway.sandbox)).filter((transmit) => to.includes(transmit.to ?? ''));
      assert.equal(seenAtLast.length, CONNECTIONS);
    }));

  it('the stored answer is the one that was given, although more is known later', async () => {
    const headers = { 'idempotency-key': 'deadline' };
    const first = await send('+447700900302', headers);
    await until(async () => (await read(first.json.results[0].id)).status === 'accepted');
    const replay = await send('+447700900302', headers);
    assert.equal(replay.text, first.text);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  });
});

describe('a send under way', () => {
  it('can be read: its messages are transmitting and its counts are open', () =>
    undisturbed(async () => {
      const to = newNumber();
      const answer = send([to, 'x'], { 'idempotency-key': to });
      await until(async () => (await transmitsOf(gateway.sandbox, to)).length === 1);
      const list = (await gateway.call('GET', `/api/v1/messages?status=transmitting&to=${encodeURIComponent(to)}`))
        .json;
      const [message, ...more] = list.data;
      assert.deepEqual(more, []);
      assert.equal(message.status, 'transmitting');
      const single = await read(message.id);
      assert.deepEqual(single, { ...message, timeline: [] });
      assert.deepEqual(single.text, { body: 'Hello', preview_url: false });
      const underWay = (await gateway.call('GET', `/api/v1/requests/${message.request_id}`)).json;
      assert.deepEqual(
        [underWay.accepted_count, underWay.failed_count, underWay.unknown_count, underWay.pending_count],
        [0, 1, 0, 1],
      );
      assert.equal(underWay.completed_at, null);
      assert.equal(underWay.results[0].status, 'transmitting');
      await answer;
    }));

  it('is carried through when the caller hangs up or is cut off, and then its line counts nothing that is still open', () =>
    undisturbed(async () => {
      const { hostname, port } = new URL(gateway.url);
      const headers = { authorization: `Bearer ${gateway.testKey}`, 'content-type': 'application/json' };
      const [hungUp, cutOff] = [newNumber(), newNumber()].map((to) => {
        const call = request({ hostname, port, method: 'POST', path: '/api/v1/messages/send', headers });
        call.on('error', () => undefined); // It is this side that hangs up.
        call.end(JSON.stringify({ to, type: 'text', text: { body: 'Hello' } }));
        return { to, call };
      });
      assert.ok(hungUp && cutOff);
      // Beyond the deadline it is transmitted no more.
      for (const { to } of [hungUp, cutOff])
        await until(async () => (await transmitsOf(gateway.sandbox, to)).length === 1, 2 * DEADLINE_MS);
      hungUp.call.destroy();
      cutOff.call.socket?.resetAndDestroy();
      for (const { to } of [hungUp, cutOff]) {
        const find = async () =>
          (await gateway.call('GET', `/api/v1/messages?to=${encodeURIComponent(to)}`)).json.data[0];
        await until(async () => (await find()).status === 'accepted');
        assert.equal((await transmitsOf(gateway.sandbox, to)).length, 1);
      }
      const toldTooSoon = lines.filter(({ status, unknown }) => status === 499 && unknown !== undefined);
      assert.deepEqual(toldTooSoon, []);
    }));
});

it('nothing is begun where the first commit took until the last second of a send, even with a connection at hand', async (t) => {
  const lastTurnMs = 3_000;
  const settings = { WAYPOST_SEND_DEADLINE_MS: String(lastTurnMs + 1_000) };
  const other = await startTestGateway({ settings, sandbox: { statuses: 'off' } });
  t.after(() => other.stop());
  const sendThere = (to: string) =>
    other.call('POST', '/api/v1/messages/send', { body: { to, type: 'text', text: { body: 'Hello' } } });
  assert.equal((await sendThere('+447700900306')).json.accepted_count, 1);
  await undisturbed(async () => {
    let answer: ReturnType<typeof send> | undefined;
    await other.database.transaction(async (tx) => {
      await tx.query('lock table request in share mode');
      answer = sendThere('+447700900305');
      await until(async () => (await countWaitingForLocks(other.database)) > 0);
      // By then it has begun.
      const begunMs = performance.now();
      await until(() => performance.now() - begunMs > lastTurnMs);
    });
    const { json } = (await answer) ?? {};
    assert.deepEqual(await transmitsOf(other.sandbox, '+447700900305'), []);
    assert.deepEqual([json.results?.[0].status, json.results?.[0].error?.code], ['failed', 'not_attempted']);
  });
});
