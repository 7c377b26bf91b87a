import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { newId } from '../kernel/ids.ts';
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
  await renewNode(test.database, id, where.host, where.pid, where.leaseSeconds);
  return id;
}

describe('a node', () => {
  it('elsewhere is gone when its lease is over at two looks, and not before', async () => {
    const alive = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: 60 });
    const lapsed = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: -1 });
    const late = await addNode({ host: 'elsewhere', pid: 1, leaseSeconds: -1 });
    assert.deepEqual([await isGone(alive), await isGone(lapsed)], [false, true]);
    await renewNode(test.database, late, 'elsewhere', 1, 60);
    assert.equal(await isGone(late), false, 'it lives again');
  });

  it('that has work but no record is gone at the second look', async () => {
    const id = newId();
    assert.deepEqual([await isGone(id, [id]), await isGone(id, [id]), await isGone(id)], [false, true, false]);
  });

  it('of this machine is gone as soon as its process is', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    assert.equal(await isGone(await addNode({ host, pid, leaseSeconds: 60 })), true);
    assert.equal(await isGone(await addNode({ host, pid: process.ppid, leaseSeconds: 60 })), false);
  });

  it('with our own process id is an earlier life of this process', async () => {
    assert.equal(await isGone(await addNode({ host, pid: process.pid, leaseSeconds: 60 })), true);
  });

  it('never takes itself for gone, and joins again when others have', async () => {
    await test.database.query('update node set lease_until = now() where id = $1', [node.id]);
    assert.equal(await isGone(node.id), false);
    await node.forget(node.id);
    await node.renewLease();
    const rows = await test.database.query('select 1 from node where id = $1 and lease_until > now()', [node.id]);
    assert.equal(rows.length, 1);
  });

  it('is no more after it has left', async () => {
    const other = await joinNodes({ database: test.database, log: pino({ level: 'silent' }) });
    await other.leave();
    assert.deepEqual(await test.database.query('select 1 from node where id = $1', [other.id]), []);
  });
});
