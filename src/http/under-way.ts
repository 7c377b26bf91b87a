import type { Socket } from 'node:net';
import { answerInTurn } from './answer-in-turn.ts';

/**
 * Whether a request of this connection may be being carried out, or its answer be on the way. Then nothing else may be written
 * there, because the caller would take it for that answer. A request is carried out once it has come whole: no handler that
 * changes anything begins before the end of its body.
 */
export function isUnderWay(socket: Socket): boolean {
  const inTurn = answerInTurn(socket);
  return inTurn !== undefined && (inTurn.req.complete || inTurn.headersSent);
}
