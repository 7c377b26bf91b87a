import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { ApiError } from '../kernel/errors.ts';
import { signBytes } from '../kernel/signature.ts';
import { StoreUnavailable } from '../kernel/store-unavailable.ts';
import { createIntake } from './receive.ts';

const SECRET = 'secret';
/** The largest that is taken, sixteen of which fill the room. */
const BODY = Buffer.alloc(4 << 20, 'x');
const SIGNATURE = signBytes(BODY, SECRET);

describe('notifications that wait for their commit', () => {
  it('share a room: what has no place in it is refused, and each gives its place back however its commit ends', async () => {
    const { receive, commits, ended } = start();
    for (const end of ['resolve', 'reject'] as const) {
      const held = Array.from({ length: 16 }, receive);
      await assert.rejects(receive(), isRefused);
      // Each is a pack of its own, and they are written one after another.
      for (const _ of held) (await commits.next())[end]();
      const results = await Promise.allSettled(held);
      const expected = end === 'resolve' ? 'fulfilled' : 'rejected';
      assert.deepEqual([...new Set(results.map(({ status }) => status))], [expected]);
    }
    assert.equal(ended.written, 32, 'the backlog is told of each');
    assert.equal(ended.received, 16, 'applying is told of those that are committed');
  });

  it('are answered in time although no commit ends, and told as what may be committed', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const received = start().receive();
    t.mock.timers.tick(10_000);
    await assert.rejects(received, (error) => error instanceof StoreUnavailable && error.commitInDoubt);
  });
});

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unavailable';
}

/** An intake, each commit of which ends when it is told to. */
function start() {
  const open: PromiseWithResolvers<void>[] = [];
  let begun = Promise.withResolvers<void>();
  const commits = {
    async next() {
      if (open.length === 0) await begun.promise;
      begun = Promise.withResolvers();
      const commit = open.shift();
      assert.ok(commit);
      return {
        resolve: () => commit.resolve(),
        reject: () => commit.reject(new StoreUnavailable('It is away', false)),
      };
    },
  };
  const database = {
    query: async () => {
      const commit = Promise.withResolvers<void>();
      open.push(commit);
      begun.resolve();
      await commit.promise;
      return [];
    },
  };
  const ended = { written: 0, received: 0 };
  const intake = createIntake({
    database,
    secrets: { live: [SECRET], test: [] },
    count: () => ({ busy: false, onWritten: () => void ended.written++ }),
    onReceived: () => void ended.received++,
  });
  const receive = () => {
    const request = new IncomingMessage(new Socket());
    request.rawHeaders = ['x-hub-signature-256', SIGNATURE];
    return intake.receive(request, BODY);
  };
  return { receive, commits, ended };
}
