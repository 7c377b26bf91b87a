import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { signBytes } from '../kernel/signature.ts';
import { decodeNotification } from '../provider/whatsapp/decode/decode.ts';
import { numberHint } from '../provider/whatsapp/decode/number-hint.ts';
import { runRound } from './apply-round.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { createIntake } from './receive.ts';

const SOME = 100 << 10;
const MUCH = 300 << 10;
const SECRET = 'secret';

/** Whether the number is busy with what it brings now, which is committed at once. */
function bring(backlog: Backlog, number: string, bytes = SOME): boolean {
  const { busy, onWritten } = backlog.add(number, bytes);
  onWritten();
  return busy;
}

describe('a number', () => {
  it('is busy once it has brought much, and until no pack is left; others are not', () => {
    const backlog = createBacklog();
    assert.deepEqual(
      [1, 2, 3, 4].map(() => bring(backlog, 'a')),
      [false, false, true, true],
    );
    assert.equal(bring(backlog, 'b'), false);
    assert.equal(bring(backlog, 'a', 1), true);
    backlog.beginClaim()();
    assert.equal(bring(backlog, 'a'), false);
  });

  it('stays busy while something that was called busy is not committed', () => {
    const backlog = createBacklog();
    const { busy, onWritten } = backlog.add('a', MUCH);
    assert.equal(busy, true);
    backlog.beginClaim()();
    assert.equal(bring(backlog, 'a', 1), true);
    backlog.beginClaim()();
    assert.equal(bring(backlog, 'a', 1), true);
    onWritten();
    backlog.beginClaim()();
    assert.equal(bring(backlog, 'a', 1), false);
  });

  it('stays busy after a claim that had begun before the last of that was committed', () => {
    const backlog = createBacklog();
    const { onWritten } = backlog.add('a', MUCH);
    const onCaughtUp = backlog.beginClaim();
    onWritten();
    onCaughtUp();
    assert.equal(bring(backlog, 'a', 1), true);
    const onNextCaughtUp = backlog.beginClaim();
    onNextCaughtUp();
    assert.equal(bring(backlog, 'a', 1), false);
  });

  it('does not become busy by little that is never all committed', () => {
    const backlog = createBacklog();
    for (let time = 0; time < 10; time++) {
      const { busy } = backlog.add('a', SOME);
      assert.equal(busy, false);
      backlog.beginClaim()();
    }
  });
});

it('what a number brings is applied in the order of its coming, however slow a commit is', async (t) => {
  const { database, drop } = await createTestDatabase();
  t.after(drop);
  const backlog = createBacklog();
  const count = (rawBody: Buffer) => backlog.add(numberHint(rawBody), rawBody.length);
  const intake = createIntake({ database, secrets: { live: [SECRET], test: [] }, count, onReceived: () => {} });
  const post = (place: number) => {
    const body = Buffer.from(JSON.stringify({ phone_number_id: '1', place, padding: 'x'.repeat(2 * SOME) }));
    const request = new IncomingMessage(new Socket());
    request.rawHeaders = ['x-hub-signature-256', signBytes(body, SECRET)];
    return intake.receive(request, body);
  };
  const places: number[] = [];
  const decode = (body: Buffer) => {
    places.push(JSON.parse(body.toString()).place);
    return decodeNotification(body);
  };
  const round = (order: 'quiet' | 'oldest') =>
    runRound(
      database,
      { decode, nowMs: Date.now, messagesFromMs: () => 0, onClaim: backlog.beginClaim },
      pino({ level: 'silent' }),
      order,
    );

  const posts: Promise<unknown>[] = [];
  await database.transaction(async (tx) => {
    // Packs can be claimed, and none is written.
    await tx.runScript('lock table notification_pack in share mode');
    posts.push(post(0));
    await until(async () => (await countWaitingForLocks(database)) === 1);
    for (let place = 1; place < 9; place++) posts.push(post(place));
    assert.equal(await round('quiet'), 0);
    posts.push(post(9));
  });
  await Promise.all(posts);
  for (const order of ['quiet', 'oldest', 'quiet', 'oldest'] as const) await round(order);
  assert.deepEqual(places, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
