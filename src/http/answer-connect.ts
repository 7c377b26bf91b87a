import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { nodeHttp } from '../kernel/node-http.ts';
import { answerInTurn } from './answer-in-turn.ts';

/**
 * Answers CONNECT, which is no tunnel here, like any other method that a path does not have. Node hands over the bare connection, and
 * closes it without an answer where nobody listens. Behind a call that is not answered yet that is right: nothing may be written there.
 */
export function answerConnect(server: Server): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node listens to the connection no more, and a reset that nobody hears of would end the process.
    socket.on('error', () => socket.destroy());
    if (answerInTurn(socket) !== undefined) return void socket.destroy();
    const response = new nodeHttp.ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    server.emit('request', request, response);
  });
}
