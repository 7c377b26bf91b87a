import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'undici';
import type { Load } from './load.ts';

export interface Post {
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Options {
  callers: number;
  /** At an even pace. Without it each caller posts the next as soon as its last one is answered. */
  perSecond?: number;
  /** Called when a post is answered. */
  onAnswer?(index: number): void;
}

/** Posts everything once, in order, over one kept connection for each caller. Every answer must be a 200. */
export async function postAll(
  origin: string,
  posts: readonly Post[],
  { callers, perSecond = Number.POSITIVE_INFINITY, onAnswer }: Options,
): Promise<Load> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  let next = 0;
  const call = async () => {
    const client = new Client(origin);
    for (let index = next++; index < posts.length; index = next++) {
      const dueMs = startMs + (index / perSecond) * 1_000;
      if (dueMs > performance.now()) await wait(dueMs - performance.now());
      latenciesMs.push(await postOne(client, posts[index]));
      onAnswer?.(index);
    }
    return client;
  };
  const clients = await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startMs) / 1_000;
  await Promise.all(clients.map((client) => client.close()));
  return { requests: latenciesMs.length, seconds, latenciesMs };
}

async function postOne(client: Client, post: Post | undefined): Promise<number> {
  if (post === undefined) throw new RangeError('There is no such post');
  const startMs = performance.now();
  const answer = await client.request({ method: 'POST', ...post });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${post.path} answered ${answer.statusCode}: ${text}`);
  return performance.now() - startMs;
}
