import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../src/config.ts';
import { type Receiver, startReceiver } from '../endpoints/receiver.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { addChannel } from '../support/notifications.ts';
import { until } from '../support/until.ts';

const CALLER_SPAN = 'b7ad6b7169203331';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const LIVE_TRACE = '2af7651916cd43dd8448eb211c80319c';
const UNWANTED_TRACE = '1af7651916cd43dd8448eb211c80319c';

/** The members of a span that matter here, in OTLP's JSON. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

let gateway: TestGateway;
let receiver: Receiver;
let collector: Receiver;
let provider: Receiver;
before(async () => {
  collector = await startReceiver((response) => response.writeHead(200).end('{}'));
  receiver = await startReceiver();
  provider = await startReceiver((response) => response.writeHead(200).end('{"messages":[{"id":"1"}]}'));
  const settings = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=secret',
    WAYPOST_PROVIDER_URL: provider.url,
  };
  gateway = await startTestGateway({ callback: true, settings });
  await gateway.call('POST', '/api/v1/endpoints', { body: { url: receiver.url } });
  const line = { phoneNumberId: '4711', businessAccountId: '4712', phoneNumber: '+15550784711' };
  await addChannel(gateway, { accountId: gateway.accountId, mode: 'live', ...line });
  await send(TRACE, '01');
  await send(UNWANTED_TRACE, '00');
  await send(LIVE_TRACE, '01', await gateway.createKey({ mode: 'live' }));
  await until(() => receiver.received.length >= 6);
  // At its end the gateway sends the spans that are still under way to the collector.
  await gateway.stop();
});
after(async () => {
  await receiver.close();
  await collector.close();
  await provider.close();
});

async function send(traceId: string, flags: string, key = gateway.testKey): Promise<void> {
  const body = { to: '+447700900123', type: 'text', text: { body: 'Hello' } };
  const headers = { traceparent: `00-${traceId}-${CALLER_SPAN}-${flags}` };
  const answer = await gateway.call('POST', '/api/v1/messages/send', { key, body, headers });
  assert.equal(answer.status, 200, answer.text);
}

function spans(): Span[] {
  const posts = collector.received.map(({ body }) => JSON.parse(body));
  const resources = posts.flatMap(({ resourceSpans }) => resourceSpans);
  return resources.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans);
}

describe('the settings of traces', () => {
  it('ask for none until a collector is named', () => {
    assert.equal(loadConfig({}).traces, undefined);
    assert.equal(loadConfig({ WAYPOST_TRACES: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }).traces, undefined);
    assert.deepEqual(loadConfig({ WAYPOST_TRACES: 'console' }).traces?.exporter, { kind: 'console' });
    const { exporter } = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' }).traces ?? {};
    assert.deepEqual(exporter, { kind: 'otlp', url: 'http://c:4318/v1/traces', headers: {} });
  });

  it('may be kept in any share from none to all', () => {
    const ratio = (OTEL_TRACES_SAMPLER_ARG: string) =>
      loadConfig({ WAYPOST_TRACES: 'console', OTEL_TRACES_SAMPLER_ARG }).traces?.samplerRatio;
    assert.deepEqual(['0', '0.25', '1'].map(ratio), [0, 0.25, 1]);
    for (const wrong of ['-0.1', '1.1', 'half']) assert.throws(() => ratio(wrong), /OTEL_TRACES_SAMPLER_ARG/);
  });

  it('take the headers for the collector as the standard writes them, percent-encoded', () => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20aWQ6a2V5,x-scope=a%2Cb,x-plain=1+1 = 2',
    };
    assert.deepEqual(loadConfig(settings).traces?.exporter, {
      kind: 'otlp',
      url: 'http://c:4318/v1/traces',
      headers: { authorization: 'Basic aWQ6a2V5', 'x-scope': 'a,b', 'x-plain': '1+1 = 2' },
    });
    for (const wrong of ['x=50%', 'x=a%0Ab', 'x=%E0%A4', '@x=1'])
      assert.throws(
        () => loadConfig({ ...settings, OTEL_EXPORTER_OTLP_HEADERS: wrong }),
        ({ message }: Error) => message.includes('OTEL_EXPORTER_OTLP_HEADERS') && !message.includes(wrong),
      );
  });

  it('are refused with all their faults, and without what they hold', () => {
    const wrong = { WAYPOST_TRACES: 'paper', OTEL_TRACES_SAMPLER: 'some', OTEL_TRACES_SAMPLER_ARG: '2' };
    assert.throws(
      () => loadConfig({ ...wrong, OTEL_EXPORTER_OTLP_HEADERS: 'hidden' }),
      ({ message }: Error) =>
        [...Object.keys(wrong), 'OTEL_EXPORTER_OTLP_HEADERS'].every((name) => message.includes(name)) &&
        !message.includes('hidden'),
    );
  });
});

describe('the traces', () => {
  it("lead from the caller's span to the attempt at the customer's endpoint", () => {
    const all = spans().filter(({ traceId }) => traceId === TRACE);
    const named = (name: string) => all.filter((span) => span.name === name);
    const [sent] = named('send');
    assert.equal(sent?.parentSpanId, CALLER_SPAN);
    for (const name of ['first_commit', 'transmit', 'second_commit'])
      assert.deepEqual(
        named(name).map(({ parentSpanId }) => parentSpanId),
        [sent?.spanId],
        name,
      );
    const events = named('event');
    assert.ok(events.length === 3 && events.every(({ parentSpanId }) => parentSpanId === sent?.spanId));
    const attempts = named('deliver');
    assert.deepEqual(
      new Set(attempts.map(({ parentSpanId }) => parentSpanId)),
      new Set(events.map(({ spanId }) => spanId)),
    );
    const headers = receiver.received.map(({ headers: { traceparent = '' } }) => traceparent.split('-'));
    const ofTrace = headers.filter(([, traceId]) => traceId === TRACE);
    assert.deepEqual(new Set(ofTrace.map(([, , spanId]) => spanId)), new Set(attempts.map(({ spanId }) => spanId)));
    assert.ok(ofTrace.every(([, , , flags]) => flags === '01'));
  });

  it("keep nothing that the caller's flag does not want, and pass the flag on", () => {
    assert.ok(spans().every(({ traceId }) => traceId !== UNWANTED_TRACE));
    const passedOn = receiver.received.map(({ headers }) => headers.traceparent ?? '');
    const unwanted = passedOn.filter((traceparent) => traceparent.includes(UNWANTED_TRACE));
    assert.equal(unwanted.length, 3);
    assert.ok(unwanted.every((traceparent) => traceparent.endsWith('-00')));
  });

  it('go past the provider', () => {
    assert.ok(spans().some(({ traceId, name }) => traceId === LIVE_TRACE && name === 'transmit'));
    assert.equal(provider.received.length, 1);
    for (const { headers, body } of provider.received)
      assert.ok(!JSON.stringify([headers, body]).includes(LIVE_TRACE) && !('traceparent' in headers));
  });

  it('carry the headers that the collector asks for', () => {
    assert.ok(collector.received.every(({ headers }) => headers['x-collector-key'] === 'secret'));
  });
});
