import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { until } from './until.ts';

/** When so many connections and one more wait to be accepted, the system answers no further one. */
const BACKLOG = 1;
const SERVER = `
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(process.argv[1]));
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: ${BACKLOG} }, () => console.log(server.address().port));`;

export interface SlowAcceptor {
  port: number;
  /** Resolves when somebody waits for a connection. They get it when their system asks again, a second after the first time. */
  acceptAfterFirstCall(): Promise<void>;
  close(): void;
}

/** A server on 127.0.0.1 whose system drops the first attempt to connect, as a lossy network does. Linux only. */
export async function startSlowAcceptor(answer: string): Promise<SlowAcceptor> {
  const child = spawn(process.execPath, ['-e', SERVER, answer], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line));
  child.kill('SIGSTOP');
  await until(async () => / T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8')));
  const waiting = Array.from({ length: BACKLOG + 1 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(waiting.map((socket) => once(socket, 'connect')));
  return {
    port,
    async acceptAfterFirstCall() {
      await until(() => isCalled(port));
      child.kill('SIGCONT');
    },
    close() {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}

/** Whether somebody on this machine has asked for a connection to the port and has no answer yet (the state SYN_SENT, which is 02). */
async function isCalled(port: number): Promise<boolean> {
  const place = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
  return (await readFile('/proc/net/tcp', 'utf8')).includes(place);
}
