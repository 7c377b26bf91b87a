import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sendText } from '../support/call-gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { messagesBody, postSigned, statusOf, type TestLine } from '../support/notifications.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/process.ts';
import { type SandboxBeside, startSandboxBeside } from '../support/sandbox-beside.ts';
import { until } from '../support/until.ts';

const MESSAGES = 100;
const COURSE = ['sent', 'delivered', 'read'];
const CALLERS = 24;
/** Far below the 35 s after which a statement on a dead connection ends. */
const ANSWERED_WITHIN_MS = 15_000;
/** After so many answers, in the middle of the load, something is broken. */
const BREAK_AFTER = 130;

/** A body with one status, and how each try to post it was answered. */
interface Post {
  messageId: string;
  status: string;
  body: object;
  answers: (number | undefined)[];
}

describe('gateways as processes of their own', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let sandbox: SandboxBeside;
  let dataDir: string;
  /** The one that runs before each test and after it. */
  let gateway: GatewayProcess;
  const start = () => startGatewayProcess(dataDir, { ...sandbox.settings, DATABASE_URL: proxy.url });
  before(async () => {
    sandbox = await startSandboxBeside({ statuses: 'off' });
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database.url);
    dataDir = await mkdtemp(join(tmpdir(), 'waypost-callback-'));
    gateway = await start();
  });
  after(async () => {
    await gateway.kill();
    await proxy.close();
    await database.drop();
    await sandbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const secret = () => sandbox.settings.WAYPOST_SANDBOX_APP_SECRET;

  /** Sends messages, and makes the notifications about them in a mixed order. */
  const prepare = async (): Promise<Post[]> => {
    const { dev } = gateway;
    const [line] = await database.database.query<TestLine>(
      `select phone_number_id as "phoneNumberId", business_account_id as "businessAccountId",
         phone_number as "phoneNumber" from channel where account_id = $1`,
      [dev.account_id],
    );
    if (line === undefined) throw new Error('The demonstration account has no channel');
    const posts: Post[] = [];
    for (let first = 0; first < MESSAGES; first += 50) {
      const to = Array.from({ length: 50 }, (_, place) => `+4477009${String(first + place).padStart(5, '0')}`);
      for (const { id = '', message_id: providerId = '' } of (await sendText(dev, to)).json.results)
        for (const status of COURSE)
          posts.push({
            messageId: id,
            status,
            body: messagesBody(line, { statuses: [statusOf(status, { providerId })] }),
            answers: [],
          });
    }
    return posts.toSorted((a, b) => a.messageId.slice(-4).localeCompare(b.messageId.slice(-4)));
  };

  /** Posts everything once. `onAnswer` is called with how many have been answered. */
  const load = async (posts: Post[], urlOf: (place: number) => string, onAnswer = (_answered: number) => {}) => {
    const waiting = posts.entries();
    let answered = 0;
    const caller = async () => {
      for (const [place, post] of waiting) {
        // If the connection breaks there is no answer, which is recorded as undefined.
        const answer = await postSigned({ url: urlOf(place), secret: secret() }, post.body).catch(() => undefined);
        post.answers.push(answer?.status);
        onAnswer(++answered);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  };

  const untilProcessed = () =>
    until(async () => {
      const [row] = await database.database.query<{ waiting: number }>(
        `select (select count(*) from notification where state = 'waiting') + (select count(*) from notification_pack) as waiting`,
      );
      return row?.waiting === 0;
    });

  /** A post that was answered 200 must have one entry in the history; any other post has at most one for each try. */
  const assertExactlyOnce = async (posts: Post[]) => {
    const rows = await database.database.query<{ key: string; count: number; firsts: number }>(
      `select m.provider_message_id || ' ' || t.status as key, count(*) as count,
         count(*) filter (where t.note is distinct from 'duplicate') as firsts
       from timeline t join message m on m.account_id = t.account_id and m.id = t.message_id group by 1`,
    );
    const byKey = new Map(rows.map((row) => [row.key, row]));
    for (const { body, status, answers } of posts) {
      const providerId = JSON.stringify(body).match(/"id":"(wamid[^"]+)"/)?.[1];
      const { count = 0, firsts = 0 } = byKey.get(`${providerId} ${status}`) ?? {};
      const acknowledged = answers.filter((answer) => answer === 200).length;
      assert.ok(count >= acknowledged, `an acknowledged ${status} is lost: ${count} of ${answers}`);
      assert.ok(count <= answers.length, `a ${status} is applied ${count} times after ${answers}`);
      if (count > 0) assert.equal(firsts, 1, `only one ${status} of a message is its first`);
      const doubtful = answers.some((answer) => answer !== 200);
      if (!doubtful) assert.equal(count, acknowledged);
    }
    const [left] = await database.database.query<{ count: number }>(
      `select (select count(*) from notification where state <> 'applied') + (select count(*) from notification_pack) as count`,
    );
    assert.equal(left?.count, 0);
  };

  /** Posts everything to a gateway that is killed in the middle of it. */
  const loadUntilKill = async (victim: GatewayProcess, posts: Post[]) => {
    let kill: Promise<void> | undefined;
    await load(
      posts,
      () => victim.dev.base_url,
      (answered) => {
        if (answered === BREAK_AFTER) kill = victim.kill();
      },
    );
    await kill;
  };

  it('a kill under load loses no acknowledged notification and applies none twice', async (test) => {
    const posts = await prepare();
    await loadUntilKill(gateway, posts);
    const acknowledged = posts.filter(({ answers }) => answers.includes(200)).length;
    assert.ok(
      acknowledged >= BREAK_AFTER - CALLERS && acknowledged < posts.length,
      `${acknowledged} were acknowledged`,
    );
    gateway = await start();
    await untilProcessed();
    await assertExactlyOnce(posts);
    test.diagnostic(`${acknowledged} of ${posts.length} were acknowledged before the kill`);
  });

  it('a database that stops answering is answered with 503 within seconds, and what comes of it twice is applied once', async () => {
    const posts = await prepare();
    const to = { url: gateway.dev.base_url, secret: secret() };
    proxy.stall();
    const startedMs = Date.now();
    const held = posts.slice(0, 2);
    for (const [place, refused] of (await Promise.all(held.map(({ body }) => postSigned(to, body)))).entries()) {
      assert.deepEqual([refused.status, refused.json.code], [503, 'unavailable']);
      held[place]?.answers.push(refused.status);
    }
    assert.ok(Date.now() - startedMs < ANSWERED_WITHIN_MS, `${Date.now() - startedMs} ms`);
    // A post that was held up on the way may still arrive, so all are posted again.
    proxy.restore();
    await load(posts, () => gateway.dev.base_url);
    await untilProcessed();
    await assertExactlyOnce(posts);
  });

  it('a database that is cut off under load is answered with 503, and what had a 200 is applied when it is back', async (test) => {
    const posts = await prepare();
    await load(
      posts,
      () => gateway.dev.base_url,
      (answered) => {
        if (answered === BREAK_AFTER) proxy.cut();
      },
    );
    const answers = new Set(posts.flatMap((post) => post.answers));
    assert.deepEqual(answers, new Set([200, 503]));
    const refused = await postSigned({ url: gateway.dev.base_url, secret: secret() }, posts[0]?.body);
    assert.deepEqual([refused.status, refused.json.code], [503, 'unavailable']);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    const unsigned = await postSigned({ url: gateway.dev.base_url, secret: 'wrong' }, posts[0]?.body);
    assert.equal(unsigned.status, 401);

    proxy.restore();
    const missed = posts.filter((post) => !post.answers.includes(200));
    test.diagnostic(`${missed.length} of ${posts.length} had a 503`);
    await until(async () => (await fetch(`${gateway.dev.base_url}/readyz`)).status === 200);
    await load(missed, () => gateway.dev.base_url);
    await untilProcessed();
    await assertExactlyOnce(posts);
    assert.ok(
      posts.every((post) => post.answers.at(-1) === 200),
      'the gateway works again by itself',
    );
    for (const hidden of [secret(), 'wamid', 'recipient_id'])
      assert.ok(!gateway.output().includes(hidden), 'nothing of a notification stands in the log');
  });

  it('two gateways share the work, and neither applies what the other has applied; one takes over what the other has acknowledged when that is killed', async () => {
    const second = await start();
    const shared = await prepare();
    const urls = [gateway.dev.base_url, second.dev.base_url];
    await load(shared, (place) => urls[place % 2] ?? '');
    // Posts the same again, each to the other gateway.
    await load(shared, (place) => urls[(place + 1) % 2] ?? '');
    await untilProcessed();
    assert.ok(shared.every(({ answers }) => answers.every((answer) => answer === 200)));
    await assertExactlyOnce(shared);

    const left = await prepare();
    await loadUntilKill(second, left);
    await untilProcessed();
    await assertExactlyOnce(left);
  });
});
