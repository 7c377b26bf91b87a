import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';
import {
  asSandbox,
  forgetNotifications,
  isProcessed,
  lineOf,
  listNotifications,
  messagesBody,
  packTogether,
  postSigned,
  readMessage,
  sendOne,
  statusOf,
  type TestLine,
} from '../../test/support/notifications.ts';
import { until } from '../../test/support/until.ts';
import { formatId, newId } from '../kernel/ids.ts';
import { insertPacks } from './pack-store.ts';

const LIVE_SECRET = 'the-app-secret';
const AT_ONCE = 60;

describe('notifications that are committed together', () => {
  let gateway: TestGateway;
  let line: TestLine;
  before(async () => {
    gateway = await startTestGateway({
      settings: { WAYPOST_APP_SECRETS: LIVE_SECRET },
      sandbox: { statuses: 'off' },
    });
    line = await lineOf(gateway);
  });
  after(() => gateway.stop());
  beforeEach(() => forgetNotifications(gateway));

  const rows = () =>
    gateway.database.query<{ body: Buffer; origin: string; state: string; attempts: number }>(
      'select body, origin, state, attempts from notification order by id',
    );
  const packs = () =>
    gateway.database.query<{ ids: string[]; origins: string[] }>(
      'select ids, origins::text[] as origins from notification_pack order by id',
    );
  const readPlatform = async (path: string) =>
    (await gateway.call('GET', `/platform/v1/${path}`, { key: gateway.platformKey })).json;
  const reprocess = (id: string) =>
    gateway.call('POST', `/platform/v1/notifications/${id}/reprocess`, { key: gateway.platformKey });
  const statusBody = (status: string, providerId: string) =>
    messagesBody(line, { statuses: [statusOf(status, { providerId })] });

  /** Meanwhile what is posted is taken, and no processor gets to its end: each needs the table that is locked. */
  const whileNothingIsApplied = (work: () => Promise<void>) =>
    gateway.database.transaction(async (tx) => {
      await tx.runScript('lock table notification in exclusive mode');
      await work();
    });

  it('share packs, and each gets its own row with its bytes, whose it is and what became of it', async () => {
    const sent = await Promise.all(Array.from({ length: AT_ONCE }, () => sendOne(gateway)));
    const posts = sent.map(({ message_id: providerId }, place) => {
      const body = JSON.stringify(statusBody('sent', providerId));
      // A live one finds no live channel, so what became of it depends on whose it is.
      return place % 3 === 0
        ? { body, by: { url: gateway.url, secret: LIVE_SECRET }, row: [body, 'live', 'set_aside', 1] }
        : { body, by: asSandbox(gateway), row: [body, 'test', 'applied', 1] };
    });
    await whileNothingIsApplied(async () => {
      const answers = await Promise.all(posts.map(({ by, body }) => postSigned(by, body)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const written = await packs();
      assert.equal(written.flatMap(({ ids }) => ids).length, AT_ONCE);
      assert.ok(written.length < AT_ONCE / 2, `${written.length} packs`);
      assert.ok(written.some(({ origins }) => new Set(origins).size === 2));
      assert.deepEqual(await rows(), []);
    });
    await until(() => isProcessed(gateway));
    const kept = await rows();
    assert.equal(kept.length, AT_ONCE);
    assert.deepEqual(
      new Set(
        kept.map(({ body, origin, state, attempts }) => JSON.stringify([body.toString(), origin, state, attempts])),
      ),
      new Set(posts.map(({ row }) => JSON.stringify(row))),
    );
    for (const [place, { id }] of sent.entries())
      assert.equal((await readMessage(gateway, id)).status, place % 3 === 0 ? 'accepted' : 'sent');
  });

  it('are so few of those with a thousand statuses that a transaction of applying stays short', async () => {
    const body = ' '.repeat(300_000);
    await whileNothingIsApplied(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => postSigned(asSandbox(gateway), body)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const sizes = (await packs()).map(({ ids }) => ids.length);
      assert.ok(Math.max(...sizes) <= 3, `${sizes}`);
    });
    await until(() => isProcessed(gateway));
  });

  it('keep their bytes and their order, whatever they are', async () => {
    const bodies = [
      Buffer.alloc(0),
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.alloc(0),
      Buffer.alloc(4 << 20, '\u00e9\0'),
      Buffer.from('{'),
      Buffer.alloc(0),
    ];
    await packTogether(gateway, bodies);
    await until(() => isProcessed(gateway));
    const kept = await rows();
    assert.equal(kept.length, bodies.length);
    for (const [place, { body, state }] of kept.entries()) {
      assert.ok(bodies[place]?.equals(body), `the body at ${place}`);
      assert.equal(state, 'set_aside');
    }
  });

  it('take effect in the order in which they came, also among those that were looked at before', async () => {
    const { id, message_id: providerId } = await sendOne(gateway);
    const body = (status: string) => Buffer.from(JSON.stringify(statusBody(status, providerId)));
    const first = newId();
    const packed = { id: newId(), origin: 'test' as const, body: body('delivered'), busy: false };
    const last = newId();
    await gateway.database.transaction(async (tx) => {
      // A round claims packs before rows, and a commit between the two would let it see the rows alone.
      await tx.runScript('lock table notification_pack in exclusive mode');
      await insertPacks(tx, [packed]);
      const waiting = `insert into notification (id, origin, body) values ($1, 'test', $2), ($3, 'test', $4)`;
      await tx.query(waiting, [last, body('read'), first, body('sent')]);
    });
    await until(() => isProcessed(gateway));
    const { timeline } = await readMessage(gateway, id);
    assert.deepEqual(
      timeline.map((entry: { status: string; note: string | null }) => [entry.status, entry.note]),
      ['accepted', 'sent', 'delivered', 'read'].map((status) => [status, null]),
    );
  });

  it('are shown as waiting before they are applied: in the list, one by one and in the state', async () => {
    await whileNothingIsApplied(async () => {
      await packTogether(gateway, ['not json 1', 'not json 2', 'not json 3']);
      await packTogether(gateway, ['not json 4', 'not json 5']);
      const ids = (await packs()).flatMap((pack) => pack.ids.map((id) => formatId('ntf', id)));
      const newestFirst = ids.toReversed();
      for (const query of ['', '&state=waiting']) {
        const shown = (await listNotifications(gateway, query)).map(({ received_at: _, ...others }) => others);
        const others = { state: 'waiting', kinds: [], error: null, attempts: 0 };
        assert.deepEqual(
          shown,
          newestFirst.map((id) => ({ id, ...others })),
        );
      }
      for (const state of ['applied', 'set_aside'])
        assert.deepEqual(await listNotifications(gateway, `&state=${state}`), []);
      const page = await readPlatform('notifications?limit=2');
      const next = await readPlatform(`notifications?limit=2&cursor=${page.next_cursor}`);
      assert.deepEqual(
        [...page.data, ...next.data].map(({ id }) => id),
        newestFirst.slice(0, 4),
      );
      for (const id of ids) {
        const { status, json } = await reprocess(id);
        assert.deepEqual([status, json.id, json.state], [202, id, 'waiting']);
      }
      const { waiting, lag_ms: lagMs } = (await readPlatform('state')).notifications;
      assert.deepEqual(waiting, { count: 5, more: false });
      assert.ok(lagMs > 0);
    });
    await until(() => isProcessed(gateway));
    const states = (await listNotifications(gateway)).map(({ state, attempts }) => `${state} ${attempts}`);
    assert.deepEqual(states, Array(5).fill('set_aside 1'));
  });
});
