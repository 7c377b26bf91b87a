import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** A customer's server, which takes every event. It keeps no process from its end. */
export interface Receiver {
  /** Without a final slash. */
  url: string;
  /** The sequences of the events that came to a path, in the order of their coming. */
  sequencesAt(path: string): readonly number[];
}

export async function startReceiver(): Promise<Receiver> {
  const got = new Map<string, number[]>();
  const server = createServer(async (request, answer) => {
    const { sequence } = JSON.parse(await text(request));
    const path = request.url ?? '';
    got.set(path, [...(got.get(path) ?? []), sequence]);
    answer.end();
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    sequencesAt: (path) => got.get(path) ?? [],
  };
}
