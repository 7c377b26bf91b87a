import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Whether a request of this connection may be being carried out, or its answer be on the way. Then nothing else may be written
 * there, because the caller would take it for that answer. A request is carried out once it has come whole: no handler that
 * changes anything begins before the end of its body. Node keeps the answer in turn in this member, where its own handler of
 * such faults looks too. Keeping it ourselves would cost every request.
 */
export function isUnderWay(socket: Socket): boolean {
  const inTurn: unknown = Reflect.get(socket, '_httpMessage');
  return inTurn instanceof ServerResponse && (inTurn.req.complete || inTurn.headersSent);
}
