import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { countWaitingForLocks } from '../../test/support/waiting-for-locks.ts';
import { newId } from '../kernel/ids.ts';
import { LEASE_MS } from '../kernel/lease.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import type { WatchRound } from '../observe/loops.ts';
import { openDatabase, type Queryable } from '../store/database.ts';
import { hostIdentity } from './host-identity.ts';
import { BEAT_MS } from './lease.ts';
import { joinNodes, type Node } from './node.ts';
import { renewNode } from './store.ts';

let test: TestDatabase;
let node: Node;
let host: string;
before(async () => {
  test = await createTestDatabase();
  node = await joinNodes({ database: test.database, log: pino({ level: 'silent' }) });
  const [row] = await test.database.query<{ host: string }>('select host from node where id = $1', [node.id]);
  host = row?.host ?? '';
});
after(async () => {
  await node.leave();
  await test.drop();
});

const isGone = async (id: string, working: string[] = []) => (await node.findGone(working)).includes(id);

async function addNode(where: { host: string; pid: number; leaseSeconds: number }): Promise<string> {
  const id = newId();
  await renewNode(test.database, { id, ...where }, where.leaseSeconds);
  return id;
}

describe('a node', () => {
  it('elsewhere is gone when its lease is over at two looks, and not before', async () => {
    const alive = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: 60 });
    const lapsed = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: -1 });
    const late = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: -1 });
    assert.deepEqual([await isGone(alive), await isGone(lapsed)], [false, true]);
    await renewNode(test.database, { id: late, host: 'elsewhere', pid: 1 }, 60);
    assert.deepEqual([await isGone(late), await isGone(alive)], [false, false], 'they live');
    await node.forget(late);
    assert.equal((await test.database.query('select 1 from node where id = $1', [late])).length, 1);
  });

  it('whose lease was given before the database’s clock was set back is gone at the second look, unless it renews it', async () => {
    const dead = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: 3_600 });
    const alive = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: 3_600 });
    assert.equal(await isGone(dead), false);
    await renewNode(test.database, { id: alive, host: 'elsewhere', pid: 1 }, 15);
    const gone = await node.findGone([]);
    assert.deepEqual([gone.includes(dead), gone.includes(alive)], [true, false]);
    await node.forget(dead);
    assert.deepEqual(await test.database.query('select 1 from node where id = $1', [dead]), []);
  });

  it('that lives is not gone after two outages of the database, between which it has renewed its lease', async () => {
    const other = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: -1 });
    assert.equal((await node.findGone([])).includes(other), false);
    await renewNode(test.database, { id: other, host: 'elsewhere', pid: 1 }, 60);
    await test.database.query(`update node set lease_until = now() - interval '1 s' where id = $1`, [other]);
    assert.equal((await node.findGone([])).includes(other), false);
    assert.equal((await node.findGone([])).includes(other), true);
    await node.forget(other);
  });

  it('that has work but no record is gone at the second look', async () => {
    const id = newId();
    assert.deepEqual([await isGone(id, [id]), await isGone(id, [id]), await isGone(id)], [false, true, false]);
  });

  it('of this machine is gone as soon as its process is', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    assert.equal(await isGone(await addNode({ host, pid, leaseSeconds: 60 })), true);
    for (const elsewhere of [pid, process.pid])
      assert.equal(await isGone(await addNode({ host: 'elsewhere', pid: elsewhere, leaseSeconds: 60 })), false);
    assert.equal(await isGone(await addNode({ host, pid: process.ppid, leaseSeconds: 60 })), false);
  });

  it('with our own process id is an earlier life of this process', async () => {
    assert.equal(await isGone(await addNode({ host, pid: process.pid, leaseSeconds: 60 })), true);
  });

  it('never takes itself for gone, and joins again when others have', async () => {
    await test.database.query('update node set lease_until = now() where id = $1', [node.id]);
    assert.equal(await isGone(node.id), false);
    await node.forget(node.id);
    assert.deepEqual([await isGone(node.id, [node.id]), await isGone(node.id, [node.id])], [false, false]);
    await node.renewLease();
    const within =
      'select 1 from node where id = $1 and lease_until between now() and now() + make_interval(secs => $2)';
    assert.equal((await test.database.query(within, [node.id, LEASE_MS / 1_000])).length, 1);
  });

  it('is no more after it has left', async () => {
    const other = await joinNodes({ database: test.database, log: pino({ level: 'silent' }) });
    await other.leave();
    assert.deepEqual(await test.database.query('select 1 from node where id = $1', [other.id]), []);
  });

  it('warns once when its clock goes on being far from the database’s', async () => {
    let aheadMs = 0;
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    const clock = { nowMs: () => Date.now() + aheadMs };
    const told: number[] = [];
    // A difference of a millisecond may be below 0, and -0 is another number to a comparison.
    const onClockAhead = (ms: number) => void told.push(Math.round(ms / 10_000) * 10_000 + 0);
    const other = await joinNodes({ database: test.database, log, clock, onClockAhead });
    for (const ms of [30_000, -120_000, 0, -180_000, -120_000, -120_000]) {
      aheadMs = ms;
      await other.renewLease();
    }
    await other.leave();
    assert.deepEqual(told, [0, 30_000, -120_000, 0, -180_000, -120_000, -120_000]);
    const [warned, ...more] = lines.map((line) => JSON.parse(line));
    assert.deepEqual([warned.msg, Math.round(warned.ahead_ms / 60_000), more.length], ['node.clock_differs', -2, 0]);
  });

  it('keeps two connections and no more while its lease cannot be renewed', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const connections = 4;
    const own = openDatabase({ connection: test.connection, connections, onError: () => undefined });
    const other = await joinNodes({ database: own, log: pino({ level: 'silent' }) });
    let asked: Promise<void> | undefined;
    // Stands for commits that a synchronous standby keeps waiting.
    await test.database.transaction(async (tx) => {
      await tx.query('select 1 from node where id = $1 for update', [other.id]);
      t.mock.timers.tick(BEAT_MS);
      await until(async () => (await countWaitingForLocks(test.database)) > 0);
      for (let beat = 1; beat < connections; beat++) t.mock.timers.tick(BEAT_MS);
      await until(async () => (await countWaitingForLocks(test.database)) > 1);
      asked = other.renewLease();
      assert.deepEqual(await own.query('select 2 as two'), [{ two: 2 }]);
      assert.equal(await countWaitingForLocks(test.database), 2);
    });
    await asked;
    await other.leave();
    await own.close();
  });

  it('renews its lease although one renewal hangs by itself', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { database } = test;
    const dead = Promise.withResolvers<void>();
    let hanging = 0;
    // Stands for a connection that a firewall has forgotten: nothing comes back from it until the time for an answer is over.
    const partlyDead: Queryable = {
      query: async (sql, values) => {
        if (sql.includes('insert into node') && hanging++ === 1) await dead.promise;
        return database.query(sql, values);
      },
    };
    const other = await joinNodes({ database: partlyDead, log: pino({ level: 'silent' }) });
    await database.query('update node set lease_until = now() where id = $1', [other.id]);
    for (let beat = 0; beat < 2; beat++) t.mock.timers.tick(BEAT_MS);
    await until(async () => {
      const lives = 'select 1 from node where id = $1 and lease_until > now()';
      return (await database.query(lives, [other.id])).length === 1;
    });
    await other.renewLease();
    dead.resolve();
    await other.leave();
  });

  it('begins when its first renewal goes through, and goes on beating when one does not', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let refused = 0;
    const partlyAway: Queryable = {
      query: async (sql, values) => {
        if (sql.includes('insert into node') && [1, 3].includes(++refused))
          throw new StoreUnavailable(new Error('The connection broke'), false);
        return test.database.query(sql, values);
      },
    };
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    let rounds = 0;
    const watch: WatchRound = (round) => {
      rounds += 1;
      return round();
    };
    const other = await joinNodes({
      ...{ database: partlyAway, log, watch },
      runStep: (step) => step().catch(() => step()),
    });
    for (const beats of [1, 2]) {
      t.mock.timers.tick(BEAT_MS);
      await until(() => refused === 2 + beats);
    }
    await other.leave();
    assert.equal(rounds, 2);
    const told = lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg]);
    assert.deepEqual(told, [[40, 'node.lease_not_renewed']]);
  });

  it('is no more after it has left in the middle of a beat, and has no further beat', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let held: Promise<void> | undefined;
    const asked: string[] = [];
    const slow: Queryable = {
      query: async (sql, values) => {
        const renews = sql.includes('insert into node');
        if (renews) await held;
        asked.push(renews ? 'renew' : 'delete');
        return test.database.query(sql, values);
      },
    };
    const other = await joinNodes({ database: slow, log: pino({ level: 'silent' }) });
    const hold = Promise.withResolvers<void>();
    held = hold.promise;
    t.mock.timers.tick(BEAT_MS);
    const left = other.leave();
    await nextTurn();
    hold.resolve();
    await left;
    t.mock.timers.tick(BEAT_MS);
    await nextTurn();
    assert.deepEqual(asked, ['renew', 'renew', 'delete']);
  });
});

it('the processes of a node are told by the boot and the namespace too, as containers may share a name', {
  skip: process.platform !== 'linux' && 'only Linux tells of them',
}, () => {
  const [name, boot, namespace] = hostIdentity().split(' ');
  assert.equal(name, hostname());
  assert.equal(`${boot}\n`, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  assert.equal(namespace, readlinkSync(`/proc/${process.pid}/ns/pid`));
});
