import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { intendedMessage } from '../../../test/support/new-request.ts';
import { type ProxiedDatabase, startProxiedDatabase } from '../../../test/support/proxied-database.ts';
import { sendingChannel } from '../../../test/support/sending-channel.ts';
import { undisturbed } from '../../../test/support/undisturbed.ts';
import type { SendingChannel } from '../../channels/channels.ts';
import { createPacing, type Pacing } from '../../channels/pacing.ts';
import { newId } from '../../kernel/ids.ts';
import type { IntendedMessage } from '../message.ts';
import { giveTurns } from './give-turns.ts';
import { HeldTurn } from './held-turn.ts';

const PERSON = '+447700900123';
/** So many may go to one person at once. */
const BURST = 45;
/** Turns that were given so long ago have passed. */
const COMMIT_MS = 1_000;
const DEADLINE_MS = 20_000;
/** A turn passes soon, so a short standstill of the machine is enough to miss one. */
const STANDSTILL_MS = 20;

let test: ProxiedDatabase;
let pacing: Pacing;
let channel: SendingChannel;
let passedMs = 0;
const clock = { steadyMs: () => performance.now() + passedMs };
before(async () => {
  test = await startProxiedDatabase();
});
after(() => test.drop());
beforeEach(() => {
  pacing = createPacing(test.database, clock);
  channel = { ...sendingChannel(newId()), throughputPerSecond: 1_000 };
});

const intend = (refused = false, phone = PERSON) =>
  intendedMessage({ phone, ...(refused && { status: 'failed', error: { code: 'template_parameters_invalid' } }) });

/** The turns of these messages that may go, held. */
async function hold(intended: IntendedMessage[], deadlineMs = clock.steadyMs() + DEADLINE_MS): Promise<HeldTurn[]> {
  const deps = { pacing, clock, log: pino({ level: 'silent' }) };
  const turns = await giveTurns(deps, { channel, intended, deadlineMs });
  return intended.flatMap((message, place) => {
    const turn = turns[place];
    const holder = { channel, message, deadlineMs, deadline: new AbortController().signal };
    return turn === undefined ? [] : [new HeldTurn(deps, holder, turn)];
  });
}

it('turns of people who wait for their pair are taken when that has come, and not all used at once', () =>
  undisturbed(async () => {
    const to = Array.from({ length: 40 }, (_, place) => `+4477009003${place}`);
    channel = { ...channel, id: newId(), throughputPerSecond: 1_000_000 };
    for (let sent = 0; sent < BURST; sent++) await pacing.turnsFor(channel, to, clock.steadyMs() + DEADLINE_MS);
    channel = { ...channel, throughputPerSecond: 80 };
    const nextAt = () => test.database.query('select next_at from channel_pace where channel_id = $1', [channel.id]);
    const before = await nextAt();
    const turns = await hold(to.map((phone) => intend(false, phone)));
    assert.equal(turns.length, to.length);
    assert.deepEqual(await nextAt(), before, 'nothing is reserved that would pass');
    passedMs += Math.max(...turns.map((turn) => turn.waitMs()));
    const goneMs = await Promise.all(
      turns.map(async (turn) => {
        assert.equal(await turn.come(), null);
        assert.ok(!turn.isPassed());
        return clock.steadyMs();
      }),
    );
    const spanMs = Math.max(...goneMs) - Math.min(...goneMs);
    assert.ok(spanMs > 300, `all within ${spanMs} ms`);
  }, STANDSTILL_MS));

describe('a turn that passed before its message could go', () => {
  it('is replaced by one that comes in its time, and those of many in the distances that the throughput asks', async () => {
    channel = { ...channel, throughputPerSecond: 80 };
    const turns = await hold(Array.from({ length: 40 }, (_, place) => intend(false, `+4477009001${place}`)));
    passedMs += COMMIT_MS;
    for (const turn of turns) assert.ok(turn.isPassed());
    const errors = await Promise.all(turns.map((turn) => turn.takeAnother()));
    assert.deepEqual(new Set(errors), new Set([null]));
    const waitsMs = turns.map((turn) => turn.waitMs());
    for (const turn of turns) assert.ok(!turn.isPassed());
    assert.ok(Math.max(...waitsMs) > 300, `all within ${Math.max(...waitsMs)} ms`);
  });

  it('counts once for the person: the last message of a burst still goes at once', async () => {
    const others = Array.from({ length: BURST - 1 }, () => PERSON);
    for (const person of others) await pacing.turnsFor(channel, [person], clock.steadyMs() + DEADLINE_MS);
    const [turn] = await hold([intend()]);
    passedMs += COMMIT_MS;
    assert.equal(await turn?.come(), null);
    assert.equal(turn?.waitMs(), 0);
    const [next] = await pacing.turnsFor(channel, [PERSON], clock.steadyMs() + DEADLINE_MS);
    assert.equal(next?.kind, 'later', 'and no more than the burst');
  });

  it('is replaced once the database is back, which was away then', async () => {
    const [turn] = await hold([intend()]);
    passedMs += COMMIT_MS;
    test.proxy.cut();
    const asked = turn?.takeAnother();
    await assert.rejects(test.database.query('select 1'));
    test.proxy.restore();
    assert.equal(await asked, null);
    assert.equal(turn?.isPassed(), false);
  });

  it('is not replaced if no turn comes before the deadline: the message fails, and it is told when to come again', async () => {
    channel = { ...channel, throughputPerSecond: 1 };
    const [turn] = await hold([intend()], clock.steadyMs() + 10_000);
    const others = Array.from({ length: 30 }, (_, place) => `+4477009002${place}`);
    await pacing.turnsFor(channel, others, clock.steadyMs() + 60_000);
    passedMs += COMMIT_MS;
    const error = await turn?.come();
    assert.equal(error?.code, 'throughput_limited');
    assert.ok((error.retry_after_seconds ?? 0) > 20, `${error.retry_after_seconds} s`);
    assert.ok(turn?.isPassed());
  });
});

describe('a turn for one more try', () => {
  const SIX_SECONDS_MS = 6_000;
  const nextOfPerson = async () => {
    const [next] = await pacing.turnsFor(channel, [PERSON], clock.steadyMs() + DEADLINE_MS);
    return next?.kind === 'later' ? next.atMs - clock.steadyMs() : 0;
  };
  async function holdLastOfBurst() {
    for (let sent = 1; sent < BURST; sent++) await pacing.turnsFor(channel, [PERSON], clock.steadyMs() + DEADLINE_MS);
    const [turn] = await hold([intend()]);
    assert.ok(turn);
    return turn;
  }

  it('is one more for the person, where the provider has seen the message; if it is not used it is given back', async () => {
    const turn = await holdLastOfBurst();
    turn.use();
    assert.equal(await turn.repeat(), null);
    assert.ok(turn.waitMs() > SIX_SECONDS_MS - 1_000, `${turn.waitMs()} ms`);
    turn.giveBack();
    turn.giveBack();
    const nextMs = await nextOfPerson();
    assert.ok(nextMs > SIX_SECONDS_MS - 1_000 && nextMs <= SIX_SECONDS_MS, `${nextMs} ms`);
  });

  it('is the same for the person, where the provider has not', async () => {
    const turn = await holdLastOfBurst();
    assert.equal(await turn.repeat(), null);
    assert.equal(turn.waitMs(), 0);
    turn.use();
    turn.giveBack();
    const nextMs = await nextOfPerson();
    assert.ok(nextMs > SIX_SECONDS_MS - 1_000 && nextMs <= SIX_SECONDS_MS, `${nextMs} ms`);
  });
});

it('a turn so close to the deadline that nothing could come of it is none, and least of all for one more try', () =>
  undisturbed(async () => {
    channel = { ...channel, id: newId(), throughputPerSecond: 1 };
    const anotherMs = async () => {
      const turn = await pacing.anotherTurn(channel, clock.steadyMs() + DEADLINE_MS);
      assert.ok(turn.kind !== 'never');
      return turn.atMs;
    };
    await anotherMs();
    const nextMs = (await anotherMs()) + 1_000;
    const message = intend();
    assert.deepEqual(await hold([message], nextMs + 125), []);
    assert.deepEqual([message.status, message.error?.code], ['failed', 'throughput_limited']);
    // The turn after that of the first comes 375 ms before the deadline.
    const deadlineMs = nextMs + 1_375;
    const [first] = await hold([intend()], deadlineMs);
    assert.equal((await first?.repeat())?.code, 'throughput_limited');
    assert.equal((await hold([intend()], deadlineMs)).length, 1);
  }, STANDSTILL_MS));

it('no turns are given to what was refused before it could go', async () => {
  assert.deepEqual(await hold(Array.from({ length: BURST }, () => intend(true))), []);
  assert.deepEqual(await test.database.query('select 1 from channel_pace where channel_id = $1', [channel.id]), []);
  const [next] = await pacing.turnsFor(channel, [PERSON], clock.steadyMs() + DEADLINE_MS);
  assert.equal(next?.kind, 'now');
});

it('a test channel’s turn never passes, and asks nobody', async () => {
  channel = { ...channel, sender: { ...channel.sender, mode: 'test' } };
  const [turn] = await hold([intend()]);
  passedMs += 10 * COMMIT_MS;
  assert.equal(turn?.isPassed(), false);
  assert.equal(await turn?.come(), null);
  assert.deepEqual(await test.database.query('select 1 from channel_pace where channel_id = $1', [channel.id]), []);
});
