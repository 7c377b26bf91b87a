import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { sendingChannel } from '../../test/support/sending-channel.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { systemClock as clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type Connection, type Database, openDatabase } from '../store/database.ts';
import type { SendingChannel } from './channels.ts';
import { createPacing, type Turn } from './pacing.ts';

/** A channel that was idle may send so much of a second at once. */
const SAVED_SECONDS = 0.1;
const PER_SECOND = 50;

let test: TestDatabase;
let channel: SendingChannel;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());
beforeEach(() => {
  channel = { ...sendingChannel(newId()), throughputPerSecond: PER_SECOND };
});

let persons = 0;
const people = (count: number) => Array.from({ length: count }, () => `+4477${String(++persons).padStart(8, '0')}`);
const atMs = (turns: readonly Turn[]) =>
  turns.flatMap((turn) => (turn.kind === 'never' ? [] : [turn.atMs])).sort((a, b) => a - b);
/** For tests whose steps must not take time, however slow the machine is. */
const stoppedClock = { steadyMs: () => 0 };
const codesOf = (turns: readonly Turn[]) =>
  turns.map((turn) => (turn.kind === 'never' ? turn.error.code : turn.kind === 'now' ? 'now' : 'later'));
/** The database, which does this before each answer. */
const answering = (before: () => void) => ({
  async query<Row>(...statement: Parameters<Database['query']>) {
    const rows = await test.database.query<Row>(...statement);
    before();
    return rows;
  },
});
const connect = (connection: Connection): Database => openDatabase({ connection, connections: 3, onError: () => {} });

describe('turns of a live channel', () => {
  it('come one after the other at its throughput, after a tenth of a second at once', async () => {
    const turns = await createPacing(test.database, stoppedClock).turnsFor(channel, people(50), 20_000);
    const times = atMs(turns);
    assert.equal(times.length, 50);
    const span = times.at(-1) ?? 0;
    const expectedMs = 1_000 - SAVED_SECONDS * 1_000;
    assert.ok(Math.abs(span - expectedMs) < 300, `${span} ms`);
    assert.ok(turns.filter(({ kind }) => kind === 'now').length <= PER_SECOND * SAVED_SECONDS + 1);
  });

  it('are given within 10 % of the throughput by three gateways that all want more', async (t) => {
    const pools = [1, 2, 3].map(() => connect(test.connection));
    const nodes = pools.map((pool) => createPacing(pool, clock));
    const deadlineMs = performance.now() + 20_000;
    const given = await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 20 }, () => node.turnsFor(channel, people(50), deadlineMs))),
    );
    const times = atMs(given.flat());
    // What passed until the first answer was there is no time for turns any more.
    const [fromMs = 0] = times;
    const spanMs = deadlineMs - fromMs;
    assert.ok(spanMs > 10_000, 'the machine stands still');
    const seconds = Array.from({ length: Math.floor(spanMs / 1_000) - 1 }, (_, second) => {
      const startMs = fromMs + 1_000 + second * 1_000;
      return times.filter((at) => at >= startMs && at < startMs + 1_000).length;
    });
    t.diagnostic(`${times.length} turns of ${PER_SECOND} a second; in each whole second ${seconds.join(', ')}`);
    const allowed = (spanMs * PER_SECOND) / 1_000;
    assert.ok(Math.abs(times.length - allowed) <= allowed * 0.1, `${times.length} of ${allowed}`);
    for (const count of seconds) assert.ok(Math.abs(count - PER_SECOND) <= PER_SECOND * 0.1, `${seconds}`);
    for (const pool of pools) await pool.close();
  });

  it('are lost to none of many requests of one moment: what is reserved ahead is reserved once for all of them', async () => {
    let nowMs = 0;
    const pacing = createPacing(test.database, { steadyMs: () => nowMs });
    channel = { ...channel, throughputPerSecond: 1_000 };
    await pacing.turnsFor(channel, people(50), nowMs + 20_000);
    nowMs += 60;
    const turns = await Promise.all(people(200).map((person) => pacing.turnsFor(channel, [person], nowMs + 20_000)));
    const waitsMs = atMs(turns.flat()).map((at) => at - nowMs);
    assert.equal(waitsMs.length, 200);
    assert.ok((waitsMs.at(-1) ?? 0) < 400, `${waitsMs.at(-1)} ms for 200 messages at 1,000 a second`);
    // What was reserved ahead is there for the next one, which asks nobody.
    const [next] = await pacing.turnsFor(channel, people(1), nowMs + 20_000);
    assert.ok(next?.kind === 'later' && next.atMs - nowMs < 400);
    const [ofOther = 0] = atMs(await createPacing(test.database, stoppedClock).turnsFor(channel, people(1), 20_000));
    assert.ok(ofOther < 1_000, `${ofOther} ms for another node`);
  });

  it('that are reserved ahead last for a while, so that a channel below its throughput does not ask for each send', async () => {
    let nowMs = 0;
    let asked = 0;
    const query: Database['query'] = (...statement) => {
      asked += 1;
      return test.database.query(...statement);
    };
    const pacing = createPacing({ query }, { steadyMs: () => nowMs });
    async function askedForThree(): Promise<number> {
      channel = { ...channel, id: newId(), throughputPerSecond: 1_000 };
      await pacing.turnsFor(channel, people(5), nowMs + 20_000);
      nowMs += 60;
      await pacing.turnsFor(channel, people(1), nowMs + 20_000);
      asked = 0;
      for (let sends = 0; sends < 3; sends++) {
        nowMs += 4;
        assert.deepEqual(codesOf(await pacing.turnsFor(channel, people(1), nowMs + 20_000)), ['now']);
      }
      const askedByThree = asked;
      // Five were reserved ahead, and no more may be given.
      for (const count of [2, 1]) await pacing.turnsFor(channel, people(count), nowMs + 20_000);
      assert.ok(asked > askedByThree);
      return askedByThree;
    }
    // A database that is held up for a moment gives turns that are older by it.
    const tries = [await askedForThree(), await askedForThree(), await askedForThree()];
    assert.equal(Math.min(...tries), 0, `${tries}`);
  });

  it('that cannot come in time are refused at once, say when, and take nothing from others', async () => {
    const pacing = createPacing(test.database, stoppedClock);
    channel = { ...channel, throughputPerSecond: 2 };
    const first = await pacing.turnsFor(channel, people(50), 20_000);
    const givenFirst = first.filter(({ kind }) => kind !== 'never').length;
    assert.ok(givenFirst >= 40 && givenFirst <= 42, `${givenFirst}`);
    for (const turn of first) {
      if (turn.kind !== 'never') continue;
      const { code, retry_after_seconds: seconds = 0 } = turn.error;
      assert.ok(code === 'throughput_limited' && seconds >= 20 && seconds <= 25, `${code} ${seconds}`);
    }
    for (let calls = 0; calls < 3; calls++) await pacing.turnsFor(channel, people(50), 20_000);
    const times = atMs(await pacing.turnsFor(channel, people(50), 60_000));
    assert.equal(times.length, 50);
    assert.ok((times[0] ?? 0) < 20_600, 'the next turn follows the last that was given');
  });

  it('follow those that another node reserves in the same moment', async () => {
    const pacing = createPacing(test.database, stoppedClock);
    await pacing.turnsFor(channel, people(1), 60_000);
    let asked: Promise<Turn[]> | undefined;
    await test.database.transaction(async (tx) => {
      await tx.query(`update channel_pace set next_at = now() + interval '40 s' where channel_id = $1`, [channel.id]);
      asked = pacing.turnsFor(channel, people(1), 60_000);
      await until(async () => (await countWaitingForLocks(test.database)) === 1);
    });
    const [next = 0] = atMs((await asked) ?? []);
    assert.ok(next > 10_000, `${next} ms`);
  });

  it('are given to none after its own deadline, whoever asks together with it', async () => {
    const pacing = createPacing(test.database, stoppedClock);
    channel = { ...channel, throughputPerSecond: 2 };
    const [, short = [], long = []] = await Promise.all(
      [20_000, 2_000, 20_000].map((deadlineMs) => pacing.turnsFor(channel, people(10), deadlineMs)),
    );
    assert.deepEqual(new Set(codesOf(short)), new Set(['throughput_limited']));
    assert.equal(atMs(long).length, 10);
  });

  it('tell after how many seconds a turn would come', async () => {
    const pacing = createPacing(test.database, stoppedClock);
    channel = { ...channel, throughputPerSecond: 1 };
    const startMs = performance.now();
    await pacing.turnsFor(channel, people(50), 60_000);
    const [turn] = await pacing.turnsFor(channel, people(1), 20_000);
    const tookSeconds = (performance.now() - startMs) / 1_000;
    assert.ok(turn?.kind === 'never');
    const { code, retry_after_seconds: seconds = 0 } = turn.error;
    assert.equal(code, 'throughput_limited');
    assert.ok(seconds > 49 - tookSeconds && seconds <= 50, `${seconds} after ${tookSeconds}`);
    const [next = 0] = atMs(await pacing.turnsFor(channel, people(1), 60_000));
    assert.ok(next > 30_000, 'asking in vain takes nothing back either');
  });

  it('are counted from when the store gives them: a store that was slow causes no burst', async () => {
    const pool = openDatabase({ connection: test.connection, connections: 1, onError: () => {} });
    const pacing = createPacing(pool, clock);
    await pacing.turnsFor(channel, people(1), performance.now() + 20_000);
    const askedMs = performance.now();
    let asked: Promise<Turn[][]> | undefined;
    // The only connection is lent for as long, and so no turn comes before that is over.
    const lentUntilMs = await pool.transaction(async () => {
      asked = Promise.all([1, 2].map(() => pacing.turnsFor(channel, people(40), performance.now() + 20_000)));
      await until(() => performance.now() - askedMs > 1_500);
      return performance.now();
    });
    const turns = (await asked)?.flat() ?? [];
    const inSecond = atMs(turns).filter((at) => at < lentUntilMs + 1_000).length;
    assert.equal(turns.length, 80);
    assert.ok(inSecond <= PER_SECOND * (1 + SAVED_SECONDS) + 1, `${inSecond} in a second`);
    await pool.close();
  });

  it('are not taken for who was answered while the store hung', async () => {
    const { database } = test;
    let hungMs = 0;
    const steadyMs = () => performance.now() + hungMs;
    const pacing = createPacing(database, { steadyMs });
    await pacing.turnsFor(channel, people(1), steadyMs() + 5_000);
    let gone: Promise<Turn[][]> | undefined;
    await database.transaction(async (tx) => {
      await tx.query('select 1 from channel_pace where channel_id = $1 for update', [channel.id]);
      void pacing.turnsFor(channel, people(20), steadyMs() + 20_000);
      await until(async () => (await countWaitingForLocks(database)) === 1);
      gone = Promise.all(Array.from({ length: 10 }, () => pacing.turnsFor(channel, people(40), steadyMs() + 20_000)));
      hungMs = 25_000;
    });
    assert.deepEqual(new Set((await gone)?.flatMap(codesOf)), new Set(['not_attempted']));
    const [turn] = await pacing.turnsFor(channel, people(1), steadyMs() + 20_000);
    const waitMs = turn?.kind === 'later' ? turn.atMs - steadyMs() : 0;
    assert.ok(waitMs < 2_000, `${waitMs} ms`);
  });

  it('are not taken by who was answered meanwhile from those who ask together with them', async () => {
    let nowMs = 0;
    const pacing = createPacing(test.database, { steadyMs: () => nowMs });
    channel = { ...channel, throughputPerSecond: 1 };
    const asked = [20_000, 10_000, 60_000].map((deadlineMs) => pacing.turnsFor(channel, people(5), deadlineMs));
    nowMs = 15_000;
    const [, gone = [], other = []] = await Promise.all(asked);
    assert.deepEqual(new Set(codesOf(gone)), new Set(['not_attempted']));
    const [first = 0] = atMs(other);
    assert.ok(first - nowMs < 6_000, `${first} ms`);
  });

  it('are not attempted, and no limit is blamed, where the time is over before they are asked for', async () => {
    const pacing = createPacing(test.database, clock);
    const codes = codesOf(await pacing.turnsFor(channel, people(2), performance.now() - 1));
    assert.deepEqual(codes, ['not_attempted', 'not_attempted']);
  });

  it('that take the place of others are given within the deadline, and say why there is none', async () => {
    let [nowMs, slowMs] = [0, 0];
    const pacing = createPacing(
      answering(() => (nowMs += slowMs)),
      { steadyMs: () => nowMs },
    );
    channel = { ...channel, throughputPerSecond: 1 };
    const another = async (deadlineMs: number) => codesOf([await pacing.anotherTurn(channel, nowMs + deadlineMs)]);
    assert.deepEqual(await another(5_000), ['now']);
    await pacing.turnsFor(channel, people(10), nowMs + 20_000);
    assert.deepEqual(await another(5_000), ['throughput_limited']);
    assert.deepEqual(await another(-1), ['not_attempted']);
    // The turn is 10 seconds ahead, which is too late by then.
    slowMs = 20_000;
    assert.deepEqual(await another(25_000), ['throughput_limited']);
    assert.deepEqual(await another(19_900), ['not_attempted']);
  });

  it('are each channel’s own', async () => {
    const pacing = createPacing(test.database, clock);
    await pacing.turnsFor(channel, people(50), performance.now() + 20_000);
    const others = await Promise.all(
      Array.from({ length: 20 }, () =>
        pacing.turnsFor({ ...channel, id: newId(), accountId: newId() }, people(2), performance.now() + 20_000),
      ),
    );
    assert.deepEqual(new Set(codesOf(others.flat())), new Set(['now']));
  });

  it('are taken once of a channel that is known, where a new one asks together with it', async () => {
    const pacing = createPacing(test.database, stoppedClock);
    const turns = (ofId: string) =>
      pacing.turnsFor({ ...channel, id: ofId, throughputPerSecond: 1 }, people(1), 60_000);
    await turns(channel.id);
    await Promise.all([turns(newId()), turns(channel.id), turns(newId())]);
    const [next = 0] = atMs(await turns(channel.id));
    assert.ok(next < 2_500, `${next} ms`);
  });

  it('that ended long ago are forgotten: what was saved up is a tenth of a second', async () => {
    const pacing = createPacing(test.database, clock);
    await pacing.turnsFor(channel, people(1), performance.now() + 20_000);
    await test.database.query("update channel_pace set next_at = now() - interval '1 day'");
    const codes = codesOf(await pacing.turnsFor(channel, people(20), performance.now() + 20_000));
    assert.ok(codes.filter((code) => code === 'now').length <= PER_SECOND * SAVED_SECONDS + 1);
  });

  it('that were given before the database’s clock was set back hold up nobody', async () => {
    const pacing = createPacing(test.database, clock);
    await pacing.turnsFor(channel, people(1), performance.now() + 20_000);
    await test.database.query("update channel_pace set next_at = now() + interval '1 hour'");
    const codes = codesOf(await pacing.turnsFor(channel, people(20), performance.now() + 20_000));
    assert.deepEqual(new Set(codes), new Set(['now', 'later']));
    assert.ok(codes.filter((code) => code === 'now').length <= PER_SECOND * SAVED_SECONDS + 1);
  });
});

describe('turns of one person', () => {
  const ask = (count: number, pacing = createPacing(test.database, stoppedClock), deadlineMs = 5_000) =>
    Promise.all(Array.from({ length: count }, () => pacing.turnsFor(channel, ['+447700900123'], deadlineMs)));

  it('are 45 at once and then refused with the time of the next, also where all ask in the same moment', async () => {
    channel = { ...channel, throughputPerSecond: 1_000 };
    const turns = (await ask(60)).flat();
    const refused = turns.filter((turn) => turn.kind === 'never');
    assert.equal(turns.length - refused.length, 45);
    for (const { error } of refused) {
      assert.equal(error.code, 'pair_rate_limited');
      assert.equal(error.retry_after_seconds, 6);
    }
  });

  it('tell no shorter time than there is to wait', async () => {
    let nowMs = 0;
    const pacing = createPacing(test.database, { steadyMs: () => nowMs });
    channel = { ...channel, throughputPerSecond: 1_000 };
    await ask(45, pacing);
    nowMs += 100;
    const [turn] = await pacing.turnsFor(channel, ['+447700900123'], nowMs + 5_000);
    assert.ok(turn?.kind === 'never' && turn.error.retry_after_seconds === 6);
  });

  it('come 6 seconds apart where the deadline allows', async () => {
    channel = { ...channel, throughputPerSecond: 1_000 };
    const turns = (await ask(50, undefined, 20_000)).flat();
    assert.deepEqual(
      atMs(turns).filter((at) => at > 3_000),
      [6_000, 12_000, 18_000],
    );
    assert.equal(turns.filter(({ kind }) => kind === 'never').length, 2);
    // At its time each needs a turn of the channel too.
    assert.deepEqual(
      turns.flatMap((turn) => (turn.kind === 'never' || turn.isReserved ? [] : [turn.atMs])),
      [6_000, 12_000, 18_000],
    );
  });

  it('that came while the store was slow take none of the channel’s turns from those that these were reserved for', async () => {
    let [nowMs, slowMs] = [0, 0];
    const pacing = createPacing(
      answering(() => (nowMs += slowMs)),
      { steadyMs: () => nowMs },
    );
    channel = { ...channel, throughputPerSecond: 1_000 };
    await ask(45, pacing);
    slowMs = 6_000;
    const [waiting, free] = await pacing.turnsFor(channel, ['+447700900123', ...people(1)], nowMs + 20_000);
    assert.deepEqual(codesOf([waiting, free].flatMap((turn) => turn ?? [])), ['later', 'now']);
    assert.ok(waiting?.kind === 'later' && !waiting.isReserved);
  });

  it('that are refused take none of the channel’s turns', async () => {
    const pacing = createPacing(test.database, stoppedClock);
    channel = { ...channel, throughputPerSecond: 1_000 };
    await ask(45, pacing);
    channel = { ...channel, throughputPerSecond: 1 };
    const nextAt = async () =>
      (await test.database.query('select next_at from channel_pace where channel_id = $1', [channel.id]))[0];
    const before = await nextAt();
    const codes = codesOf((await ask(30, pacing)).flat());
    assert.deepEqual(new Set(codes), new Set(['pair_rate_limited']));
    assert.deepEqual(await nextAt(), before);
  });
});

it('a test channel has neither limit', async () => {
  channel = { ...channel, throughputPerSecond: 1, sender: { ...channel.sender, mode: 'test' } };
  const pacing = createPacing(test.database, clock);
  const same = Array.from({ length: 100 }, () => '+447700900123');
  assert.deepEqual(new Set(codesOf(await pacing.turnsFor(channel, same, performance.now() + 1_000))), new Set(['now']));
  assert.equal((await pacing.turnsFor(channel, same, 0))[0], await pacing.anotherTurn(channel, 0));
  for (const _ of same) assert.ok(pacing.mayGo(channel, true));
});
