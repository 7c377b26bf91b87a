import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { stateOf } from './request-state.ts';

/** How long, and how many bytes, the rest of a refused request is read for: it is of no use to us. */
const REST_MS = 10_000;
const REST_BYTES_MAX = 16 << 20;

/**
 * An answer to a request that its caller is still writing, on a connection that is closed after it. The system resets a connection that is
 * closed with unread bytes, and the caller then sees the reset and not the answer. So the whole answer goes out at once, but its
 * end, which closes the connection, waits for the rest of the request, within limits.
 */
export function lingering(answer: Buffer, request: IncomingMessage, restMs = REST_MS): Readable {
  return Readable.from(
    (async function* () {
      yield answer;
      if (!request.destroyed) stateOf(request).answeredMs = performance.now();
      await readRest(request, restMs);
    })(),
  );
}

function readRest(request: IncomingMessage, restMs: number): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, restMs);
    // After its end, or when the caller goes away before.
    request.once('close', end);
    if (request.destroyed) end();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > REST_BYTES_MAX) end();
    });
    request.resume();
  });
}
