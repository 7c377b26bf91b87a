import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type LiveWorld, startLiveWorld } from '../pacing/live-world.ts';
import { until } from '../support/until.ts';
import { type Scrape, scrapeOf } from './exposition.ts';

/** Enough for a second try, which comes after a second. */
const DEADLINE_MS = 3_000;
/** The account's card has expired, so it is not tried again. */
const BILLING = 131_042;
/** It is tried again after a second. */
const OVERLOADED = 131_016;

let world: LiveWorld;
let scrape: Scrape;
let tookSeconds: number;
before(async () => {
  const beganMs = performance.now();
  world = await startLiveWorld({ WAYPOST_SEND_DEADLINE_MS: String(DEADLINE_MS) });
  const { provider } = world;
  const [quick, slow] = [await world.connect(), await world.connect(2)];
  const held = Promise.withResolvers<undefined>();
  const codes = new Map([
    ['+447700900401', BILLING],
    ['+447700900402', OVERLOADED],
  ]);
  provider.onMessage = ({ to }) => {
    const code = codes.get(to);
    if (code === OVERLOADED) codes.delete(to);
    return to === '+447700900403' ? held.promise : code;
  };
  await Promise.all([
    world.sendText(quick, ['+447700900401', '+447700900402']),
    world.sendText(quick, ['+447700900403']),
    world.sendText(slow, numbers(10)),
    world.call('POST', '/api/v1/templates/sync', { body: {} }),
  ]);
  held.resolve(undefined);
  scrape = await until(async () => {
    const told = await scrapeOf(world.gateway);
    return told.sum('waypost_messages_settled_late_total') > 0 && told;
  });
  tookSeconds = (performance.now() - beganMs) / 1_000;
});
after(() => world.stop());

const numbers = (count: number) => Array.from({ length: count }, (_, place) => `+4477009005${10 + place}`);

it('a transmit that the provider refuses is counted by the code, at which an alert looks', () => {
  const transmits = (outcome: string, code: string) =>
    scrape.sum('waypost_transmits_total', { mode: 'live', outcome, code });
  assert.deepEqual([transmits('refused', 'sender_billing'), transmits('throttled', 'provider_unavailable')], [1, 1]);
});

it('a message that is unknown in its answer is counted as such, and by its status when it is settled', () => {
  const unknown = { mode: 'live', status: 'unknown', code: 'outcome_unknown' };
  assert.equal(scrape.sum('waypost_send_entries_total', unknown), 1);
  assert.equal(scrape.sum('waypost_messages_settled_late_total', { status: 'accepted' }), 1);
  assert.equal(scrape.sum('waypost_messages_settled_late_total'), 1);
});

it('each turn is counted, also that of a second try, and the wait for it is measured in seconds', () => {
  const turns = (turn: string) => scrape.sum('waypost_send_turns_total', { turn });
  const step = (ending: string, step: string) => scrape.sum(`waypost_send_step_seconds_${ending}`, { step });
  // Of a channel that may send two in a second, some of ten come too late within three.
  assert.ok(turns('never') > 0 && turns('later') > 0, `${turns('never')} and ${turns('later')}`);
  // One that passes before its message can go, on a busy machine, is given anew.
  assert.ok(turns('now') + turns('later') + turns('never') >= 3 + 1 + 10);
  assert.equal(step('count', 'pace_wait'), turns('later'));
  assert.ok(step('sum', 'pace_wait') > 0.1 && step('sum', 'pace_wait') < turns('later') * (DEADLINE_MS / 1_000));
  assert.ok(step('sum', 'transmit') > 1 && step('sum', 'transmit') < tookSeconds * 10);
});

it('whatever else the provider is asked is counted by what became of it', () => {
  const asks = (ask: string, outcome: string) => scrape.sum('waypost_provider_asks_total', { ask, outcome });
  assert.equal(asks('connect', 'connected'), 2);
  assert.ok(asks('templates', 'found') > 0);
});
