import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemOf, member, send, startReceiver, startSandbox } from './test-support.ts';

const PERSON = '+447700900123';

/** One second, on a machine that may be busy or stand still. The next longer behaviour would show after 20 s. */
const SECOND_ON_A_BUSY_MACHINE_MS = 15_000;

describe('the numbers of the sandbox', { concurrency: true }, () => {
  it('accepts any other number and posts sent, delivered and read within a second', async (t) => {
    const { receiver, sandbox } = await start(t);
    const begunMs = Date.now();
    const answer = await (await send(sandbox, { to: PERSON, biz_opaque_callback_data: 'msg_1' })).json();
    assert.deepEqual(member(answer, 'contacts'), [{ input: PERSON, wa_id: PERSON.slice(1) }]);
    const received = await receiver.count(3);
    assert.deepEqual(kinds(received), ['sent', 'delivered', 'read']);
    assert.ok((received[2]?.atMs ?? Number.POSITIVE_INFINITY) - begunMs < SECOND_ON_A_BUSY_MACHINE_MS);
    for (const one of received) {
      const status = itemOf(one);
      assert.equal(member(status, 'id'), member(answer, 'messages', 0, 'id'));
      assert.equal(member(status, 'recipient_id'), PERSON.slice(1));
      assert.equal(member(status, 'biz_opaque_callback_data'), 'msg_1');
      assert.match(String(member(status, 'timestamp')), /^\d{10}$/);
    }
    assert.equal(member(itemOf(at(received, 0)), 'pricing', 'category'), 'service');
  });

  it('treats a user id like any other number, and tells no phone number of it', async (t) => {
    const { receiver, sandbox } = await start(t);
    const userId = 'US.13491208655302741918';
    const answer = await (await send(sandbox, { recipient: userId })).json();
    assert.deepEqual(member(answer, 'contacts'), [{ input: userId, user_id: userId }]);
    const received = await receiver.count(3);
    assert.deepEqual(kinds(received), ['sent', 'delivered', 'read']);
    assert.equal(member(itemOf(at(received, 0)), 'recipient_user_id'), userId);
    assert.ok(received.every(({ body }) => !body.includes('recipient_id') && !body.includes('wa_id')));
  });

  it('lets the number win where a user id is given too', async (t) => {
    const { sandbox } = await start(t);
    const answer = await (await send(sandbox, { to: PERSON, recipient: 'US.1349' })).json();
    assert.deepEqual(member(answer, 'contacts'), [{ input: PERSON, wa_id: PERSON.slice(1) }]);
  });

  for (const [number, code, status] of [
    ['+15550131026', 131026, 400],
    ['+15550000100', 100, 400],
    ['+15550000000', 0, 401],
    ['+15550132001', 132001, 404],
    ['+15550131016', 131016, 500],
    ['+15550000002', 2, 503],
    ['+15550000368', 368, 403],
    ['+15550999999', 999999, 400],
    ['+155502494100', 2494100, 400],
  ] as const) {
    it(`refuses every transmit to ${number} with code ${code}`, async (t) => {
      const { sandbox } = await start(t);
      for (let transmit = 0; transmit < 2; transmit += 1) {
        const response = await send(sandbox, { to: number });
        const { error } = Object(await response.json());
        assert.equal(response.status, status);
        assert.equal(error.code, code);
        assert.ok(error.message.startsWith(`(#${code}) `));
        assert.ok(error.error_data.details.length > 0);
        assert.match(error.fbtrace_id, /^A[\w-]{20,}$/);
      }
      assert.deepEqual(await taken(sandbox, number), [false, false]);
    });
  }

  it('accepts +15551 and a code, and posts failed with that code only', async (t) => {
    const { receiver, sandbox } = await start(t);
    assert.equal((await send(sandbox, { to: '+15551131049', biz_opaque_callback_data: 'msg_2' })).status, 200);
    const [failed] = await receiver.count(1);
    assert.equal(failed?.kind, 'failed');
    const status = itemOf(at([failed], 0));
    assert.equal(member(status, 'errors', 0, 'code'), 131049);
    assert.equal(member(status, 'biz_opaque_callback_data'), 'msg_2');
    assert.ok(!failed.body.includes('contacts') && !failed.body.includes('pricing'));
    await settled(sandbox, receiver, 1);
  });

  it('reads a request to …01 and resets the connection without taking the message', async (t) => {
    const { sandbox } = await start(t);
    await assert.rejects(send(sandbox, { to: '+15552000001' }), ({ cause }) => member(cause, 'code') === 'ECONNRESET');
    assert.deepEqual(await taken(sandbox, '+15552000001'), [false]);
  });

  it('takes a message to …02, cuts the connection and posts the statuses 2 s later', async (t) => {
    const { receiver, sandbox } = await start(t, { timeScale: 1 });
    const begunMs = Date.now();
    await assert.rejects(send(sandbox, { to: '+15552000002' }));
    const received = await receiver.count(3);
    assert.deepEqual(kinds(received), ['sent', 'delivered', 'read']);
    const waitedMs = at(received, 0).atMs - begunMs;
    assert.ok(waitedMs >= 1_995 && waitedMs < 2_000 + SECOND_ON_A_BUSY_MACHINE_MS, `${waitedMs} ms`);
    assert.deepEqual(await taken(sandbox, '+15552000002'), [true]);
  });

  it('takes a message to …03, posts the statuses after 40 s and answers after 60 s', async (t) => {
    const { receiver, sandbox } = await start(t, { timeScale: 40 });
    const begunMs = Date.now();
    const answered = send(sandbox, { to: '+15552000003' }).then(() => Date.now() - begunMs);
    const [first] = await receiver.count(1);
    assert.ok((first?.atMs ?? 0) - begunMs >= 995);
    assert.ok((await answered) >= 1_495);
    assert.deepEqual(kinds(await receiver.count(3)), ['sent', 'delivered', 'read']);
  });

  it('answers …04 with HTTP 500 and HTML, and takes nothing', async (t) => {
    const { sandbox } = await start(t);
    const response = await send(sandbox, { to: '+15552000004' });
    assert.equal(response.status, 500);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await response.text(), /^<!DOCTYPE html>/);
    assert.deepEqual(await taken(sandbox, '+15552000004'), [false]);
  });

  it('refuses each message to …05 twice with 130429 and then accepts it', async (t) => {
    const { sandbox } = await start(t);
    const to = '+15552000005';
    const codes = async (body: object) => member(await (await send(sandbox, { to, ...body })).json(), 'error', 'code');
    for (const body of [{ biz_opaque_callback_data: 'a' }, { biz_opaque_callback_data: 'b' }, {}]) {
      assert.deepEqual([await codes(body), await codes(body), await codes(body)], [130429, 130429, undefined]);
    }
    assert.deepEqual((await taken(sandbox, to)).slice(0, 3), [false, false, true]);
  });

  it('posts every status of …06 twice', async (t) => {
    const { receiver, sandbox } = await start(t);
    await send(sandbox, { to: '+15552000006' });
    const received = await receiver.count(6);
    assert.deepEqual(kinds(received), ['sent', 'sent', 'delivered', 'delivered', 'read', 'read']);
  });

  it('posts no second status of …06 after a reset that came during the first', async (t) => {
    const acknowledgement = Promise.withResolvers<number>();
    const receiver = await startReceiver(t, (_, number) => (number === 1 ? acknowledgement.promise : 200));
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    await send(sandbox, { to: '+15552000006' });
    await receiver.count(1);
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' });
    acknowledgement.resolve(200);
    await settled(sandbox, receiver, 1);
  });

  it('posts nothing about a message that is answered after a reset', async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url], latencyMs: 1_500 });
    const sending = Promise.all(['+15552000009', '+15552000006'].map((to) => send(sandbox, { to })));
    for (const to of ['+15552000009', '+15552000006']) while ((await taken(sandbox, to)).length === 0);
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' });
    assert.deepEqual(
      (await sending).map(({ status }) => status),
      [200, 200],
    );
    await settled(sandbox, receiver, 0);
  });

  it('posts read, delivered and sent of …07, 200 ms apart', async (t) => {
    const { receiver, sandbox } = await start(t);
    await send(sandbox, { to: '+15552000007' });
    const received = await receiver.count(3);
    assert.deepEqual(kinds(received), ['read', 'delivered', 'sent']);
    assert.ok(at(received, 1).atMs - at(received, 0).atMs >= 195);
    assert.ok(at(received, 2).atMs - at(received, 1).atMs >= 195);
  });

  it('posts read only of …08', async (t) => {
    const { receiver, sandbox } = await start(t);
    await send(sandbox, { to: '+15552000008' });
    assert.deepEqual(kinds(await receiver.count(1)), ['read']);
    await settled(sandbox, receiver, 1);
  });

  it('answers …09 only after its delivered was acknowledged', async (t) => {
    const acknowledgement = Promise.withResolvers<number>();
    const receiver = await startReceiver(t, () => acknowledgement.promise);
    const sandbox = await startSandbox(t, { callbackUrls: [receiver.url] });
    let isAnswered = false;
    const answer = send(sandbox, { to: '+15552000009' }).finally(() => {
      isAnswered = true;
    });
    assert.deepEqual(kinds(await receiver.count(1)), ['delivered']);
    await fetch(`${sandbox.url}/_sandbox/health`);
    assert.equal(isAnswered, false);
    acknowledgement.resolve(200);
    assert.equal((await answer).status, 200);
    await settled(sandbox, receiver, 1);
  });

  it('answers …09 all the same where nobody acknowledges', async (t) => {
    const sandbox = await startSandbox(t, { timeScale: 50 });
    assert.equal((await send(sandbox, { to: '+15552000009' })).status, 200);
  });

  it('posts the statuses of …10 after 30 s', async (t) => {
    const { receiver, sandbox } = await start(t, { timeScale: 30 });
    const begunMs = Date.now();
    await send(sandbox, { to: '+15552000010' });
    const received = await receiver.count(3);
    assert.deepEqual(kinds(received), ['sent', 'delivered', 'read']);
    assert.ok(at(received, 0).atMs - begunMs >= 995);
  });

  it('accepts a message to …11 and posts nothing', async (t) => {
    const { receiver, sandbox } = await start(t);
    assert.equal((await send(sandbox, { to: '+15552000011' })).status, 200);
    await settled(sandbox, receiver, 0);
  });

  it('posts the statuses of …12 with a user id and without any phone number', async (t) => {
    const { receiver, sandbox } = await start(t);
    await send(sandbox, { to: '+15552000012' });
    const received = await receiver.count(3);
    assert.deepEqual(kinds(received), ['sent', 'delivered', 'read']);
    for (const one of received) {
      assert.match(String(member(itemOf(one), 'recipient_user_id')), /^US\.\d+$/);
      assert.ok(!one.body.replace(/"wamid\.[^"]+"/, '').includes('5552000012'));
    }
  });

  it('holds a message to …13 and posts failed with 132015 after 2 s', async (t) => {
    const { receiver, sandbox } = await start(t, { timeScale: 4 });
    const begunMs = Date.now();
    const answer = await (await send(sandbox, { to: '+15552000013' })).json();
    assert.equal(member(answer, 'messages', 0, 'message_status'), 'held_for_quality_assessment');
    const [failed] = await receiver.count(1);
    assert.equal(member(itemOf(at([failed], 0)), 'errors', 0, 'code'), 132015);
    assert.ok((failed?.atMs ?? 0) - begunMs >= 495);
  });

  it('lets the person of …14 answer with a text', async (t) => {
    const { receiver, sandbox } = await start(t);
    await send(sandbox, { to: '+15552000014' });
    const received = await receiver.count(4);
    assert.deepEqual(kinds(received), ['sent', 'delivered', 'read', 'text']);
    const text = itemOf(at(received, 3));
    assert.equal(member(text, 'from'), '15552000014');
    assert.equal(member(text, 'text', 'body'), 'Hello back');
  });
});

async function start(t: Parameters<typeof startReceiver>[0], options: { timeScale?: number } = {}) {
  const receiver = await startReceiver(t);
  return { receiver, sandbox: await startSandbox(t, { callbackUrls: [receiver.url], timeScale: 10, ...options }) };
}

/** Waits until an ordinary message has gone through its whole course, and asserts that meanwhile nothing came but what was expected. */
async function settled(
  sandbox: { url: string },
  receiver: { count(count: number): Promise<{ kind: string }[]> },
  expected: number,
): Promise<void> {
  await send(sandbox, { to: PERSON });
  assert.deepEqual(kinds(await receiver.count(expected + 3)).slice(expected), ['sent', 'delivered', 'read']);
}

async function taken(sandbox: { url: string }, to: string): Promise<unknown[]> {
  const answer = await (await fetch(`${sandbox.url}/_sandbox/messages?to=${encodeURIComponent(to)}`)).json();
  return Object(answer).data.map((transmit: unknown) => member(transmit, 'taken'));
}

function kinds(received: { kind: string }[]): string[] {
  return received.map(({ kind }) => kind);
}

function at<T>(list: (T | undefined)[], place: number): T {
  const item = list[place];
  assert.ok(item !== undefined);
  return item;
}
