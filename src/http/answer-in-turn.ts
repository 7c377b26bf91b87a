import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The answer that is in turn on a connection, whose caller may have asked for more behind it; undefined: none is asked for. Node
 * keeps it in this member, where its own handler of faults looks too. Keeping it ourselves would cost every request.
 */
export function answerInTurn(socket: Socket): ServerResponse | undefined {
  const inTurn: unknown = Reflect.get(socket, '_httpMessage');
  return inTurn instanceof ServerResponse ? inTurn : undefined;
}
