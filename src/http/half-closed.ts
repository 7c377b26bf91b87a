import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Has a server answer callers that shut down their side of the connection behind their request, as `nc -N` and some clients
 * do. Node hangs up on them without an answer, unless this member says otherwise, which it has and does not document.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Aborted when the caller has shut down its side. A process that has ended looks the same until something is written to it, so
 * what waits for news answers then, and does not wait for somebody who may be gone.
 */
export function halfClosedSignal({ socket }: IncomingMessage): AbortSignal {
  if (socket.readableEnded) return AbortSignal.abort();
  let signal = signals.get(socket);
  if (signal === undefined) {
    // One for the connection: many calls may follow each other on it.
    const controller = new AbortController();
    socket.once('end', () => controller.abort());
    signal = controller.signal;
    signals.set(socket, signal);
  }
  return signal;
}
