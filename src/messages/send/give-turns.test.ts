import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { SendingChannel } from '../../channels/channels.ts';
import { createPacing, type Pacing } from '../../channels/pacing.ts';
import { newId } from '../../kernel/ids.ts';
import type { IntendedMessage } from '../message.ts';
import { giveTurns, isStale, renewTurns } from './give-turns.ts';

const PERSON = '+447700900123';
/** So many may go to one person at once. */
const BURST = 45;
/** Turns that were given so long ago have passed. */
const COMMIT_MS = 1_000;

let test: TestDatabase;
let pacing: Pacing;
let channel: SendingChannel;
let passedMs = 0;
const clock = { steadyMs: () => performance.now() + passedMs };
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());
beforeEach(() => {
  pacing = createPacing(test.database, clock);
  channel = {
    ...{ id: newId(), accountId: newId(), phoneNumber: '+447700900000', businessAccountId: '2', suspended: false },
    ...{ throughputPerSecond: 1_000, sealedToken: Buffer.alloc(0) },
    sender: { accountId: 'account', mode: 'live', phoneNumberId: '1', accessToken: 'token' },
  };
});

const intend = (refused: boolean): IntendedMessage => ({
  ...{ id: newId(), phone: PERSON, user_id: null, client_reference: null, own_reference: false, components: null },
  status: refused ? 'failed' : 'transmitting',
  error: refused ? { code: 'template_parameters_invalid' } : null,
});

/** What the turns of these messages are after a first commit that took long. */
async function turnsAfterCommit(intended: IntendedMessage[]) {
  const deps = { pacing, clock, log: pino({ level: 'silent' }) };
  const wish = { channel, intended, deadlineMs: clock.steadyMs() + 20_000 };
  const given = await giveTurns(deps, wish);
  passedMs += COMMIT_MS;
  assert.ok(isStale(deps, given));
  return (await renewTurns(deps, wish, given)).map(({ kind }) => kind);
}

describe('turns that passed during the first commit', () => {
  it('count once for the person: the last message of a burst still goes at once', async () => {
    const others = Array.from({ length: BURST - 1 }, () => PERSON);
    for (const person of others) await pacing.turnsFor(channel, [person], clock.steadyMs() + 20_000);
    assert.deepEqual(await turnsAfterCommit([intend(false)]), ['now']);
    const [next] = await pacing.turnsFor(channel, [PERSON], clock.steadyMs() + 20_000);
    assert.equal(next?.kind, 'later', 'and no more than the burst');
  });

  it('are not given to what was refused before it could go', async () => {
    await turnsAfterCommit(Array.from({ length: BURST }, () => intend(true)));
    assert.deepEqual(await test.database.query('select 1 from channel_pace where channel_id = $1', [channel.id]), []);
    const [next] = await pacing.turnsFor(channel, [PERSON], clock.steadyMs() + 20_000);
    assert.equal(next?.kind, 'now');
  });
});
