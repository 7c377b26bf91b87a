import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Delivered } from '../balance/books.ts';

const PROGRAM = fileURLToPath(new URL('./receiver-program.ts', import.meta.url));

/** A place for a customer's server. After a kill another one comes back at the same address, and goes on with the same file. */
export interface ReceiverSlot {
  url(): string;
  start(): Promise<void>;
  kill(): void;
  signal(signal: NodeJS.Signals): void;
  delivered(): Delivered[];
}

export function createReceiverSlot(file: string, port: number, seed: number): ReceiverSlot {
  let child: ChildProcess | undefined;
  return {
    url: () => `http://127.0.0.1:${port}/hook`,
    async start() {
      if (child !== undefined) return;
      const env = {
        PATH: process.env.PATH,
        RECEIVER_FILE: file,
        RECEIVER_PORT: String(port),
        RECEIVER_SEED: String(seed),
      };
      const started = fork(PROGRAM, { env });
      child = started;
      // Another fault may kill it before it listens.
      await Promise.race([once(started, 'message'), once(started, 'exit')]);
    },
    kill() {
      child?.kill('SIGKILL');
      child = undefined;
    },
    signal: (signal) => void child?.kill(signal),
    delivered: () => readLines(file).map(readDelivered),
  };
}

/** A line that a kill has cut short belongs to an event that was not acknowledged. */
function readLines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

function readDelivered(line: string): Delivered {
  const { headers, body }: { headers: Record<string, string>; body: string } = JSON.parse(line);
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '');
  return { id: id ?? '', timestamp: timestamp ?? '', signature: signature ?? '', body };
}
