import type { Socket } from 'node:net';
import { answerInTurn } from './answer-in-turn.ts';

/**
 * Whether a request of this connection may be under way now, or its answer. Then nothing else may be written on the connection, because
 * the caller would take it for that answer. A request is under way once it has come whole: no handler that changes anything begins
 * before the end of its body.
 */
export function isUnderWay(socket: Socket): boolean {
  const inTurn = answerInTurn(socket);
  return inTurn !== undefined && (inTurn.req.complete || inTurn.headersSent);
}
