import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Makes a server answer callers that shut down their side of the connection after their request, as `nc -N` and some clients
 * do. Node hangs up on them without an answer unless this member, which it does not document, is set.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Aborts when the caller has shut down its side. A caller whose process has ended looks the same until something is written to it. So a
 * call that waits for news answers at once then, and does not go on waiting for a caller who may be gone.
 */
export function halfClosedSignal({ socket }: IncomingMessage): AbortSignal {
  if (socket.readableEnded) return AbortSignal.abort();
  let signal = signals.get(socket);
  if (signal === undefined) {
    // One for the connection, which may carry many calls.
    const controller = new AbortController();
    socket.once('end', () => controller.abort());
    signal = controller.signal;
    signals.set(socket, signal);
  }
  return signal;
}
