import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nodeHttp } from '../kernel/node-http.ts';

/**
 * The answer that a connection must write next; its caller may have asked for more after it. undefined: no answer is asked for. Node
 * keeps it in this member, where its own handler of faults looks too. To keep it ourselves would cost something at every request.
 */
export function answerInTurn(socket: Socket): ServerResponse | undefined {
  const inTurn: unknown = Reflect.get(socket, '_httpMessage');
  return inTurn instanceof nodeHttp.ServerResponse ? inTurn : undefined;
}
