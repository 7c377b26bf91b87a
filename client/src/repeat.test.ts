import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { listen } from '../test/listen.ts';
import { type LossyProxy, startLossyProxy } from '../test/lossy-proxy.ts';
import { Waypost, WaypostError, type WaypostOptions } from './index.ts';
import { pause } from './pause.ts';
import { backOffMs } from './repeat.ts';

describe('the repetition of calls', () => {
  const gateway = createServer((_, answer) => answer.end('{"id":"end_1","results":[]}'));
  let proxy: LossyProxy;
  let waypost: Waypost;
  const make = (options: Partial<WaypostOptions> = {}) =>
    new Waypost({ baseUrl: proxy.url, apiKey: 'wp_test_a', ...options });
  before(async () => {
    proxy = await startLossyProxy(await listen(gateway));
    waypost = make();
  });
  beforeEach(() => {
    proxy.seen.length = 0;
    proxy.plan = [];
  });
  after(async () => {
    await proxy.close();
    gateway.close();
  });
  const send = (by = waypost) => by.send({ to: '+447700900123', type: 'text', text: { body: 'Hi' } });

  for (const [name, step] of [
    ['a 500', { status: 500, code: 'internal_error' }],
    ['a 503', { status: 503, code: 'unavailable' }],
    ["a proxy's page", { status: 502 }],
    ["a proxy's page with a status of its own", { status: 522 }],
    ['a 429', { status: 429, code: 'rate_limited', retryAfter: '0' }],
    ['a 409 for a first try that runs', { status: 409, code: 'idempotency_in_flight', retryAfter: '0' }],
  ] as const)
    it(`sends again after ${name}`, async () => {
      proxy.plan = [step];
      await send();
      assert.equal(proxy.seen.length, 2);
    });

  for (const status of [400, 401, 403, 404, 405, 408, 409, 413, 415, 422])
    it(`never sends again after a ${status}`, async () => {
      proxy.plan = [{ status, code: 'channel_taken' }];
      await assert.rejects(send(), { name: 'WaypostError', status });
      assert.equal(proxy.seen.length, 1);
    });

  it('waits as long as the gateway says', async () => {
    proxy.plan = [{ status: 503, code: 'unavailable', retryAfter: '1' }];
    const beginMs = performance.now();
    await send();
    assert.ok(performance.now() - beginMs >= 1_000);
  });

  it('throws at once when that is beyond its deadline, and tells how long it is', async () => {
    proxy.plan = [{ status: 429, code: 'rate_limited', retryAfter: '3600' }];
    await assert.rejects(send(), { code: 'rate_limited', retryAfterSeconds: 3_600 });
    assert.equal(proxy.seen.length, 1);
  });

  it('reads that as a date too, by the clock of the answer', async (t) => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, seconds)).toUTCString();
    for (const [retryAfter, retryAfterSeconds] of [
      [at(3_600), 3_600],
      [at(-5), 0],
      ['Saturday, 31-Jan-26 12:00:00 GMT', undefined],
      ['2027-01-31', undefined],
      ['soon', undefined],
    ] as const) {
      const dated = createServer((_, answer) => {
        answer.writeHead(503, { date: at(0), 'retry-after': retryAfter }).end('{"code":"unavailable"}');
      });
      const baseUrl = await listen(dated);
      t.after(() => dated.close());
      await assert.rejects(make({ baseUrl, retriesMax: 0 }).account.get(), { code: 'unavailable', retryAfterSeconds });
    }
  });

  it('reads a date by its own clock where the answer tells no time', async (t) => {
    const undated = createServer((_, answer) => {
      answer.sendDate = false;
      const retryAfter = new Date(Date.now() + 3_600_000).toUTCString();
      answer.writeHead(503, { 'retry-after': retryAfter }).end('{"code":"unavailable"}');
    });
    const baseUrl = await listen(undated);
    t.after(() => undated.close());
    await assert.rejects(make({ baseUrl, retriesMax: 0 }).account.get(), (error) => {
      const seconds = error instanceof WaypostError ? (error.retryAfterSeconds ?? 0) : 0;
      return seconds > 3_000 && seconds <= 3_600;
    });
  });

  it('gives up after so many failures, with the last one', async () => {
    proxy.plan = ['lose_request', 'lose_request', { status: 503, code: 'unavailable', retryAfter: '0' }];
    await assert.rejects(send(make({ retriesMax: 2 })), { code: 'unavailable' });
    assert.equal(proxy.seen.length, 3);
  });

  it('gives up at its deadline', async () => {
    proxy.plan = Array.from({ length: 50 }, () => ({ status: 409, code: 'idempotency_in_flight', retryAfter: '0' }));
    await assert.rejects(send(make({ deadlineMs: 1_500 })), { code: 'idempotency_in_flight' });
    assert.ok(proxy.seen.length < 50);
  });

  for (const when of ['during a try', 'between two tries'])
    it(`does not go on after a sleep of the machine ${when}: the gateway may have forgotten the key`, async (t) => {
      const real = Date.now;
      let sleptMs = 0;
      t.mock.method(Date, 'now', () => real() + sleptMs);
      const sleep = () => {
        sleptMs = 25 * 3_600_000;
      };
      let tries = 0;
      const broken: typeof fetch = () => {
        tries += 1;
        if (when === 'during a try') sleep();
        else setImmediate(sleep);
        return Promise.reject(new TypeError('The connection broke'));
      };
      await assert.rejects(send(make({ fetch: broken })), { code: 'no_answer' });
      assert.equal(tries, 1);
    });

  it('gives up at its deadline also where the clock of the machine is set back meanwhile', async (t) => {
    const real = Date.now;
    let backMs = 0;
    t.mock.method(Date, 'now', () => real() - backMs);
    let tries = 0;
    const broken: typeof fetch = () => {
      tries += 1;
      backMs = 25 * 3_600_000;
      return Promise.reject(new TypeError('The connection broke'));
    };
    await assert.rejects(send(make({ fetch: broken, deadlineMs: 1_300 })), { code: 'no_answer' });
    assert.ok(tries < 4, `${tries} tries`);
  });

  it('never repeats when it is told so', async () => {
    proxy.plan = [{ status: 409, code: 'idempotency_in_flight', retryAfter: '0' }, 'lose_request'];
    await assert.rejects(send(make({ retriesMax: 0 })), { code: 'idempotency_in_flight' });
    await assert.rejects(send(make({ retriesMax: 0 })), { code: 'no_answer', status: undefined });
    assert.equal(proxy.seen.length, 2);
  });

  it('makes nothing a second time that may have been made, and has no key', async () => {
    const endpoint = { url: 'https://example.com/' };
    for (const lost of ['lose_answer', { status: 500, code: 'internal_error' }] as const) {
      proxy.plan = [lost];
      await assert.rejects(waypost.endpoints.create(endpoint), WaypostError);
    }
    assert.equal(proxy.seen.length, 2);
    proxy.plan = [{ status: 429, code: 'rate_limited', retryAfter: '0' }];
    await waypost.endpoints.create(endpoint);
    assert.equal(proxy.seen.length, 4);
  });

  it('ends with the reason of the caller, during a pause too', async () => {
    const ending = new AbortController();
    const busy: typeof fetch = async () => {
      setTimeout(() => ending.abort(new Error('No longer needed')), 50);
      return new Response('{"code":"unavailable"}', { status: 503, headers: { 'retry-after': '20' } });
    };
    const beganMs = performance.now();
    const reading = make({ fetch: busy }).account.get({ signal: ending.signal });
    await assert.rejects(reading, { message: 'No longer needed' });
    assert.ok(performance.now() - beganMs < 15_000);
  });

  it('ends with the reason of the caller before and during a try, and leaves nothing behind at its signal', async () => {
    const reason = new Error('No longer needed');
    await assert.rejects(waypost.account.get({ signal: AbortSignal.abort(reason) }), reason);
    assert.equal(proxy.seen.length, 0, 'nothing was asked');
    const ending = new AbortController();
    const { signal } = ending;
    proxy.plan = [{ status: 503, code: 'unavailable', retryAfter: '0' }];
    assert.equal((await waypost.account.get({ signal })).id, 'end_1');
    assert.deepEqual([proxy.seen.length, getEventListeners(signal, 'abort').length], [2, 0]);
    const silent: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        ending.abort(reason);
      });
    await assert.rejects(make({ fetch: silent, retriesMax: 0 }).account.get({ signal }), reason);
    await assert.rejects(pause(5_000, signal), reason);
  });

  it('tells what an error answer says, as far as it says it, and what broke the connection', async () => {
    const answering = (body: object) =>
      make({ retriesMax: 0, fetch: async () => Response.json(body, { status: 422 }) }).account.get();
    const pointed = { pointer: '#/to', detail: 'This is no number.' };
    const errors = [7, null, pointed, { detail: 'Without a place' }, { pointer: '#/from' }];
    await assert.rejects(answering({ code: 'invalid_request', detail: 'It is wrong.', errors }), {
      ...{ code: 'invalid_request', message: 'It is wrong.', errors: [pointed] },
    });
    await assert.rejects(answering({ code: 'invalid_request', errors: 'none' }), {
      ...{ message: 'invalid_request', errors: [] },
    });
    const cause = new TypeError('The connection broke');
    const broken = make({ retriesMax: 0, fetch: () => Promise.reject(cause) });
    await assert.rejects(broken.account.get(), { code: 'no_answer', cause });
  });

  it('tells why there is no connection, as the system calls it', async () => {
    const gone = createServer();
    const baseUrl = await listen(gone);
    gone.close();
    const reading = (url: string) => make({ baseUrl: url, retriesMax: 0 }).account.get();
    await assert.rejects(reading(baseUrl), { code: 'no_answer', message: /broke: ECONNREFUSED\.$/ });
    await assert.rejects(reading('http://gateway.invalid'), { code: 'no_answer', message: /broke: E[A-Z_]+\.$/ });
    await assert.rejects(reading(proxy.url.replace('http:', 'https:')), {
      code: 'no_answer',
      message: /: E[A-Z_]+\.$/,
    });
  });

  it('takes a silent gateway for a lost connection', async () => {
    const silent = createServer(() => undefined);
    const baseUrl = await listen(silent);
    const reading = make({ baseUrl, timeoutMs: 50, retriesMax: 1 }).account.get();
    await assert.rejects(reading, { code: 'no_answer', message: /more than 50 ms/ });
    silent.closeAllConnections();
    silent.close();
  });

  it('waits for an answer that is held back as long as it asked for, and for no try beyond its deadline', async (t) => {
    let isSilent = false;
    const holding = createServer((_, answer) => {
      if (!isSilent) setTimeout(() => answer.end('{"latest_sequence":7}'), 400);
    });
    const baseUrl = await listen(holding);
    t.after(() => {
      holding.closeAllConnections();
      holding.close();
    });
    const hasty = make({ baseUrl, timeoutMs: 100, deadlineMs: 100 });
    assert.equal((await hasty.events.list({ waitSeconds: 30 })).latest_sequence, 7);
    isSilent = true;
    const patient = make({ baseUrl, deadlineMs: 100 }).account.get();
    await assert.rejects(patient, { code: 'no_answer', message: /more than 100 ms/ });
  });

  it('begins no try that has less than a second, and would hide why the one before has failed', async () => {
    proxy.plan = [{ status: 503, code: 'unavailable' }];
    await assert.rejects(send(make({ deadlineMs: 1_000 })), { code: 'unavailable' });
    assert.equal(proxy.seen.length, 1);
  });

  it('has limits and pauses of any length, also of more than a timer can hold', async (t) => {
    const slow = createServer((_, answer) => void pause(50).then(() => answer.end('{"id":"a"}')));
    const baseUrl = await listen(slow);
    t.after(() => slow.close());
    for (const longMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
      const patient = make({ baseUrl, timeoutMs: longMs, deadlineMs: longMs, retriesMax: 0 });
      assert.equal((await patient.account.get()).id, 'a');
      const ending = new AbortController();
      const long = pause(longMs, ending.signal).then(
        () => 'over',
        () => 'broken off',
      );
      assert.equal(await Promise.race([long, pause(50).then(() => 'lasting')]), 'lasting');
      ending.abort();
      assert.equal(await long, 'broken off');
    }
  });

  it('follows no redirect, which could carry the key elsewhere', async () => {
    proxy.plan = [{ status: 302 }];
    await assert.rejects(waypost.account.get(), { code: 'unexpected_answer', status: 302 });
  });

  it('takes nothing for the answer of a gateway that no gateway says', async (t) => {
    let page = '';
    const other = createServer((_, answer) => void answer.end(page));
    const client = make({ baseUrl: await listen(other) });
    t.after(() => other.close());
    const unexpected = { code: 'unexpected_answer' };
    const body = { to: '+447700900101', type: 'text', text: { body: 'a' } } as const;
    for (page of ['<h1>Welcome</h1>', '', '[]', 'null', '{"ok":true}', '{"data":{},"results":{}}']) {
      await assert.rejects(client.send(body, { idempotencyKey: 'a' }), { ...unexpected, idempotencyKey: 'a' }, page);
      await assert.rejects(client.account.get(), unexpected, page);
      await assert.rejects(client.messages.list(), unexpected, page);
      await assert.rejects(client.events.iterate({ after: 1 }).next(), unexpected, page);
      if (page !== '') await assert.rejects(client.endpoints.delete('end_1'), unexpected, page);
    }
    page = '{"data":[],"next_cursor":null}';
    await assert.rejects(client.events.iterate({ after: 1 }).next(), unexpected);
  });

  it('pauses longer with every failure, up to a bound, and never twice the same by design', () => {
    for (let failures = 1; failures < 60; failures += 1) {
      const waitMs = backOffMs(failures);
      const wholeMs = Math.min(8_000, 250 * 2 ** (failures - 1));
      assert.ok(waitMs >= wholeMs / 2 && waitMs <= wholeMs, String(waitMs));
    }
  });
});

describe('the options', () => {
  const baseUrl = 'https://waypost.example.com';

  it('are refused where a call could only fail, without quoting the key', () => {
    for (const apiKey of ['', 'wp_live_secret\n', 'wp_live_secret wp', 'wp_live_séc'])
      assert.throws(
        () => new Waypost({ baseUrl, apiKey }),
        (error) => {
          assert.ok(error instanceof TypeError);
          return !error.message.includes('secret');
        },
      );
    const needs = (missing: string) => ({ name: 'TypeError', message: new RegExp(`is without ${missing}\\.$`) });
    // As from JavaScript, and from variables of the environment that are not set.
    for (const [given, missing] of [
      [[], 'baseUrl and apiKey'],
      [[null], 'baseUrl and apiKey'],
      [[{ baseUrl, apiKey: undefined }], 'apiKey'],
      [[{ baseUrl: '', apiKey: 'wp_live_a' }], 'baseUrl'],
    ] as const)
      assert.throws(() => Reflect.construct(Waypost, given), needs(missing));
    const parted = [
      `${baseUrl}?key=a`,
      `${baseUrl}?`,
      `${baseUrl}#`,
      `${baseUrl} `,
      'https://:word@waypost.example.com',
    ];
    for (const wrong of ['', 'waypost.example.com', 'ftp://example.com', ...parted])
      assert.throws(() => new Waypost({ baseUrl: wrong, apiKey: 'wp_live_a' }), TypeError);
    for (const api of [`${baseUrl}/api/v1`, `${baseUrl}/api/v1/`])
      assert.throws(() => new Waypost({ baseUrl: api, apiKey: 'wp_live_a' }), /without \/api\/v1/);
    assert.throws(() => new Waypost({ baseUrl, apiKey: 'wp_live_a', retriesMax: -1 }), TypeError);
    assert.throws(() => new Waypost({ baseUrl, apiKey: 'wp_live_a', timeoutMs: 0 }), TypeError);
  });

  it('are not to be seen in a log of the client', async () => {
    const { inspect } = await import('node:util');
    const waypost = new Waypost({ baseUrl, apiKey: 'wp_live_secret' });
    assert.ok(!inspect(waypost, { depth: 9, showHidden: true }).includes('wp_live_secret'));
    assert.ok(!JSON.stringify(waypost).includes('wp_live_secret'));
  });
});
