import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Whether a request of a connection may be at work, or its answer on the way. Then nothing else may be written there: whoever
 * waits would take it for that answer. A request is at work once it has come whole, because no handler that changes anything
 * begins before the end of its body. Node keeps the answer whose turn it is in this member, and its own handler of such faults
 * looks there too; an account of our own would cost every request.
 */
export function isUnderWay(socket: Socket): boolean {
  const inTurn: unknown = Reflect.get(socket, '_httpMessage');
  return inTurn instanceof ServerResponse && (inTurn.req.complete || inTurn.headersSent);
}
