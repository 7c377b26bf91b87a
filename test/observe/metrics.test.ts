import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createMetrics } from '../../src/observe/metrics.ts';
import { type Receiver, startReceiver } from '../endpoints/receiver.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { baseName, readScrape, type Scrape } from './exposition.ts';

const SEND = '/api/v1/messages/send';
const ALERTS = readFileSync('ops/alerts.yml', 'utf8');
const GUIDE = readFileSync('docs/guides/monitoring.md', 'utf8');
const DASHBOARD = readFileSync('ops/grafana-dashboard.json', 'utf8');

let gateway: TestGateway;
let receiver: Receiver;
let internalUrl: string;
let scrape: Scrape;
let scrapeText: string;

before(async () => {
  gateway = await startTestGateway({ callback: true });
  internalUrl = await gateway.app.internalServer.listen({ host: '127.0.0.1', port: 0 });
  receiver = await startReceiver((response, place) => response.writeHead(place === 0 ? 500 : 204).end());
  await gateway.call('POST', '/api/v1/endpoints', { body: { url: receiver.url } });
  const to = ['+447700900123', '+15550131026', '+15552000001', '0770'];
  const body = { to, type: 'text', text: { body: 'Hello' } };
  assert.equal((await gateway.call('POST', SEND, { body })).status, 200);
  await gateway.call('POST', SEND, { body: {} });
  await gateway.call('POST', '/api/messaging/webhook', { key: null, body: { entry: [] } });
  await gateway.call('GET', '/api/v1/nowhere');
  await hangUp();
  await until(() => receiver.received.length >= 4);
  await until(async () => {
    scrapeText = await (await fetch(`${internalUrl}/metrics`)).text();
    scrape = readScrape(scrapeText);
    // The gateway notices a little later than its caller that the call was given up.
    const hungUp = scrape.sum('waypost_http_calls_total', { code: 'hung_up' });
    // The store is asked at each scrape, and must answer within a second.
    const reachable = scrape.sum('waypost_store_reachable');
    const succeeded = scrape.sum('waypost_delivery_attempts_total', { outcome: 'succeeded' });
    return succeeded >= 3 && hungUp === 1 && reachable === 1;
  });
});
after(async () => {
  await receiver.close();
  await gateway.stop();
});

/** Makes a call and gives it up. Its answer would come after 30 s at the earliest. */
async function hangUp(): Promise<void> {
  const headers = { authorization: `Bearer ${gateway.testKey}` };
  const signal = AbortSignal.timeout(1_000);
  await assert.rejects(fetch(`${gateway.url}/api/v1/events?after=1000&wait=30`, { headers, signal }));
}

describe('the metrics', () => {
  it('are on the internal listener only', async () => {
    assert.equal((await gateway.call('GET', '/metrics')).status, 404);
    const answer = await fetch(`${internalUrl}/metrics`);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  });

  it("say how far the node's clock is from the database's, which here is the machine's", () => {
    const [clock] = scrape.samples.filter(({ name }) => name === 'waypost_clock_ahead_seconds');
    assert.ok(clock !== undefined && Math.abs(clock.value) < 60);
  });

  it('count each entry of an answer by its status and code', () => {
    const entries = (status: string, code: string) =>
      scrape.sum('waypost_send_entries_total', { mode: 'test', status, code });
    assert.equal(entries('accepted', 'none'), 1);
    assert.equal(entries('failed', 'recipient_unreachable'), 1);
    assert.equal(entries('failed', 'invalid_recipient'), 1);
    assert.equal(entries('unknown', 'outcome_unknown'), 1);
    assert.equal(scrape.sum('waypost_transmits_total'), 3);
    assert.equal(scrape.sum('waypost_sends_running'), 0);
    assert.equal(scrape.sum('waypost_send_turns_total'), 0, 'the sandbox has no limits to pace for');
  });

  it('measure every step of a send', () => {
    const counted = (step: string) => scrape.sum('waypost_send_step_seconds_count', { step });
    assert.deepEqual(['prepare', 'first_commit', 'transmit'].map(counted), [1, 1, 3]);
    // A send that takes longer than half a second commits what it knows by then, and the rest at its end.
    assert.ok(counted('second_commit') >= 1);
  });

  it('count HTTP calls by template and error code, whatever the path was', () => {
    const calls = (labels: Record<string, string>) => scrape.sum('waypost_http_calls_total', labels);
    assert.equal(calls({ route: SEND, status: '200', code: 'ok' }), 1);
    assert.equal(calls({ route: SEND, status: '422', code: 'invalid_request' }), 1);
    assert.equal(calls({ route: 'none', status: '404', code: 'not_found' }), 1);
    assert.equal(calls({ route: '/api/v1/events', code: 'hung_up' }), 1);
  });

  it('count notifications, what they held, and the events that follow', () => {
    assert.equal(scrape.sum('waypost_notifications_received_total', { result: 'refused' }), 1);
    assert.equal(scrape.sum('waypost_notifications_received_total', { origin: 'test', result: 'committed' }), 3);
    assert.equal(scrape.sum('waypost_callback_step_seconds_count', { step: 'verify' }), 4);
    assert.equal(scrape.sum('waypost_callback_step_seconds_count', { step: 'commit' }), 3);
    assert.equal(scrape.sum('waypost_notification_items_total', { kind: 'status' }), 3);
    assert.equal(scrape.sum('waypost_notifications_processed_total', { state: 'applied' }), 3);
    assert.equal(scrape.sum('waypost_notification_apply_seconds_count'), 3);
    assert.equal(scrape.sum('waypost_events_recorded_total'), 4);
    assert.equal(scrape.sum('waypost_delivery_attempts_total', { outcome: 'failed', reason: 'http_5xx' }), 1);
  });

  it('tell of the queues, the connections and the loops', () => {
    assert.equal(scrape.sum('waypost_queue_depth', { queue: 'notifications' }), 0);
    assert.ok(scrape.sum('waypost_store_connections') > 0);
    const loops = scrape.samples.filter(({ name }) => name === 'waypost_loop_lag_seconds');
    assert.ok(loops.length >= 8 && loops.every(({ value }) => value < 60));
  });

  it('show from the beginning what alerts look at, so that its first one is an increase', () => {
    const shown = (name: string, labels: string) => new RegExp(`^${name}\\{${labels}\\} 0$`, 'm').test(scrapeText);
    const received = 'waypost_notifications_received_total';
    assert.ok(shown(received, 'origin="live",result="committed"'));
    assert.ok(shown(received, 'origin="none",result="not_committed"'));
    assert.ok(shown('waypost_send_entries_total', 'mode="live",status="failed",code="sender_suspended"'));
    assert.ok(shown('waypost_deliveries_given_up_total', 'mode="live"'));
    const senders = /waypost_transmits_total\{mode="live",code=~"(sender_[^"]+)"/.exec(ALERTS)?.[1]?.split('|') ?? [];
    assert.ok(senders.length > 1);
    for (const code of senders) {
      assert.ok(shown('waypost_transmits_total', `mode="live",outcome="refused",code="${code}"`), code);
      assert.ok(shown('waypost_messages_failed_later_total', `mode="live",code="${code}"`), code);
    }
  });

  it('have labels that tell of nobody', () => {
    for (const secret of [gateway.accountId, gateway.testKey, '447700900123', receiver.url, 'msg_', 'req_'])
      assert.ok(!scrapeText.includes(secret), secret);
  });

  it('have every name that an alert or a panel asks for', () => {
    const asked = `${ALERTS.replace(/^.*(runbook|#).*$/gm, '')} ${DASHBOARD}`;
    const names = new Set(asked.match(/\b(waypost|nodejs|process)_[a-z0-9_]+/g));
    assert.ok(names.size > 30);
    assert.deepEqual(
      [...names].filter((name) => !scrape.types.has(baseName(name, scrape.types))),
      [],
    );
  });

  it('have every label by which an alert or a panel chooses', () => {
    const labels = new Map(
      createMetrics()
        .describe()
        .map((metric) => [metric.name, metric.labels]),
    );
    const asked = `${ALERTS} ${DASHBOARD.replaceAll('\\"', '"')}`.matchAll(/\b(waypost_[a-z0-9_]+)\{([^}]+)\}/g);
    const chosen = [...asked].flatMap(([, name = '', selector = '']) =>
      [...selector.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => ({ name, label })),
    );
    assert.ok(chosen.length > 50);
    assert.deepEqual(
      chosen.filter(
        ({ name, label }) => label !== 'instance' && !labels.get(baseName(name, scrape.types))?.includes(label),
      ),
      [],
    );
  });
});

describe('the alerts and the dashboard', () => {
  it('have a section in the guide for every alert', () => {
    const alerts = [...ALERTS.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const sections = [...GUIDE.matchAll(/^### (Waypost\w+)$/gm)].map(([, name = '']) => name);
    assert.deepEqual(sections, alerts);
  });

  it('that look at live traffic only are those that the guide names', () => {
    const live = ALERTS.split('- alert: ').filter((alert) => /(mode|origin)="live"/.test(alert));
    const named = /These alerts leave it out: ([^.]+)\./.exec(GUIDE)?.[1] ?? '';
    assert.deepEqual(
      named.match(/Waypost\w+/g),
      live.map((alert) => /^\w+/.exec(alert)?.[0]),
    );
  });

  it('have a line in the guide for every loop', () => {
    const loops = scrape.samples.filter(({ name }) => name === 'waypost_loop_period_seconds');
    const told = GUIDE.slice(GUIDE.indexOf('### WaypostLoopLate')).matchAll(/^\| `(\w+)` \|/gm);
    assert.deepEqual([...told].map(([, loop]) => loop).toSorted(), loops.map(({ labels }) => labels.loop).toSorted());
  });

  it('have a title, a description and a unit on every panel', () => {
    const { panels } = JSON.parse(DASHBOARD);
    for (const { type, title, description, fieldConfig } of panels)
      assert.ok(title && (type === 'row' || (description && fieldConfig.defaults.unit)), title);
  });
});
