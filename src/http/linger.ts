import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { stateOf } from './request-state.ts';

/** What a caller writes on top of the largest body is read for so long, and so much of it: it is no use to us. */
const REST_MS = 10_000;
const REST_BYTES_MAX = 16 << 20;

/**
 * An answer to a request that is still being written, on a connection that is closed behind it. A system that has unread bytes
 * when it closes a connection resets it, and a caller that writes on sees the reset in place of the answer. So all of the
 * answer goes out at once, and its end, which closes the connection, comes after the rest of the request, within limits.
 */
export function lingering(answer: Buffer, request: IncomingMessage): Readable {
  return Readable.from(
    (async function* () {
      yield answer;
      if (!request.destroyed) stateOf(request).answeredMs = performance.now();
      await readRest(request);
    })(),
  );
}

function readRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, REST_MS);
    // After its end, and also where the caller goes away before.
    request.once('close', end);
    if (request.destroyed) end();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > REST_BYTES_MAX) end();
    });
    request.resume();
  });
}
