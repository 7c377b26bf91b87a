import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { intendedMessage } from '../../../test/support/new-request.ts';
import { sendingChannel } from '../../../test/support/sending-channel.ts';
import type { ChannelNow } from '../../channels/channels.ts';
import { createPacing, type Pacing } from '../../channels/pacing.ts';
import { newId } from '../../kernel/ids.ts';
import type { Provider } from '../../provider/port.ts';
import { HeldTurn } from './held-turn.ts';
import { STALE_MS, transmitInTurn } from './transmit-in-turn.ts';

const PER_SECOND = 80;
/** A look that takes so long makes a turn pass, if it begins when that has come. */
const LOOK_MS = 150;
const NOT_BEGUN = { kind: 'throttled', error: { code: 'not_attempted' } } as const;
const ACCEPTED = { kind: 'accepted', providerMessageId: 'wamid.1', held: false } as const;

let test: TestDatabase;
let pacing: Pacing;
let passedMs = 0;
const clock = { steadyMs: () => performance.now() + passedMs };
const channel = { ...sendingChannel(newId()), throughputPerSecond: PER_SECOND };
const { sender } = channel;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());
beforeEach(() => {
  pacing = createPacing(test.database, clock);
  channel.id = newId();
});

let numbers = 0;
const people = (count: number) => Array.from({ length: count }, () => `+4477${String(++numbers).padStart(8, '0')}`);
const inDeadlineMs = () => clock.steadyMs() + 20_000;

/** A message that has its turn at once. */
async function begin(transmit: Provider['transmit'], staleMs: number, look?: () => Promise<ChannelNow>) {
  const [phone = ''] = people(1);
  const [turn] = await pacing.turnsFor(channel, [phone], inDeadlineMs());
  assert.equal(turn?.kind, 'now');
  const message = intendedMessage({ phone });
  const deadline = new AbortController().signal;
  const deps = { pacing, clock, log: pino({ level: 'silent' }), provider: { transmit } };
  const held = new HeldTurn(deps, { channel, message, deadlineMs: inDeadlineMs(), deadline }, turn);
  const looks: number[] = [];
  const lookAgain = async () => {
    if (look !== undefined) return look();
    passedMs += LOOK_MS;
    looks.push(held.waitMs());
    return { kind: 'usable' as const, channel };
  };
  const one = {
    message: {
      ...{ id: message.id, recipient: { phone } },
      content: { type: 'text' as const, text: { body: 'Hello', preview_url: false } },
    },
    ...{ turn: held, deadline, lookAgain, lookSoon: lookAgain },
  };
  return { looks, transmit: () => transmitInTurn(deps, one, sender, staleMs) };
}

describe('a message whose turn has passed', () => {
  it('before it could go is looked at before its next turn comes, so that a slow look does not let it pass again', async () => {
    let transmits = 0;
    const { looks, transmit } = await begin(async () => {
      transmits += 1;
      return ACCEPTED;
    }, STALE_MS);
    passedMs += 2_000;
    // Its next turn comes after these.
    await pacing.turnsFor(channel, people(60), inDeadlineMs());
    assert.deepEqual(await transmit(), ACCEPTED);
    assert.equal(transmits, 1);
    assert.equal(looks.length, 1);
    assert.ok((looks[0] ?? 0) > 0, 'the look was over before its turn came');
  });

  it('while it waited for a connection goes on it, where the channel has room', async () => {
    const { looks, transmit } = await begin(async (_sender, _message, _deadline, afterWait) => {
      passedMs += 200;
      return (await afterWait?.()) === undefined ? NOT_BEGUN : ACCEPTED;
    }, STALE_MS);
    assert.deepEqual(await transmit(), ACCEPTED);
    assert.deepEqual(looks, []);
  });

  it('while it waited for a connection gives it back at once, where others of the channel go, and goes in another turn', async () => {
    const outcomes: string[] = [];
    const { transmit } = await begin(async (_sender, _message, _deadline, afterWait) => {
      if (outcomes.length > 0) return ACCEPTED;
      passedMs += 2_000;
      // As many as the channel sends in half a second, all in this moment.
      for (let others = 0; others < PER_SECOND / 2; others++) pacing.mayGo(channel, false);
      await pacing.turnsFor(channel, people(40), inDeadlineMs());
      const beganMs = clock.steadyMs();
      outcomes.push((await afterWait?.()) === undefined ? 'given back' : 'held');
      assert.ok(clock.steadyMs() - beganMs < 400, 'at once');
      return NOT_BEGUN;
    }, STALE_MS);
    const beganMs = clock.steadyMs();
    assert.deepEqual(await transmit(), ACCEPTED);
    assert.deepEqual(outcomes, ['given back']);
    assert.ok(clock.steadyMs() - beganMs > 2_000 + (40 / PER_SECOND) * 1_000 - 200, 'behind those that have turns');
  });

  it('is looked at where the wait for a connection has made old what is known of it, and may have to stay', async () => {
    let looks = 0;
    const { transmit } = await begin(
      async (_sender, _message, _deadline, afterWait) => {
        passedMs += 5_000;
        return (await afterWait?.()) === undefined ? NOT_BEGUN : ACCEPTED;
      },
      STALE_MS,
      async () => {
        looks += 1;
        return { kind: 'refused', error: { code: 'template_paused' } };
      },
    );
    assert.deepEqual(await transmit(), { kind: 'kept_back', error: { code: 'template_paused' } });
    assert.equal(looks, 1);
  });

  it('is looked at after it, where it was transmitted before: a notification may tell meanwhile that it arrived', async () => {
    const { looks, transmit } = await begin(async () => ACCEPTED, 0);
    passedMs += 2_000;
    await pacing.turnsFor(channel, people(20), inDeadlineMs());
    assert.deepEqual(await transmit(), ACCEPTED);
    assert.deepEqual(looks, [0], 'and goes after one look, however slow that is');
  });
});

it('a message whose turn is used at once is neither looked at nor given another one', async () => {
  const { looks, transmit } = await begin(async (_sender, _message, _deadline, afterWait) => {
    assert.deepEqual(await afterWait?.(), sender);
    return ACCEPTED;
  }, STALE_MS);
  const rows = async () => test.database.query('select next_at from channel_pace where channel_id = $1', [channel.id]);
  const before = await rows();
  assert.deepEqual(await transmit(), ACCEPTED);
  assert.deepEqual(looks, []);
  assert.deepEqual(await rows(), before);
});
