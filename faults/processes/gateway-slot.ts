import { setTimeout as wait } from 'node:timers/promises';
import { type GatewayProcess, startGatewayProcess } from '../../test/support/process.ts';

const CLOCK = new URL('../shifted-clock.ts', import.meta.url).href;
/** A gateway cannot start while its database is away. So it is started again and again, for this long. */
const START_WITHIN_MS = 120_000;
const START_PAUSE_MS = 200;

/** A place for one gateway at a time, which can be killed, and another one started. */
export interface GatewaySlot {
  /** undefined if no gateway runs now. */
  url(): string | undefined;
  start(): Promise<void>;
  /** Resolves when no start is under way. */
  started(): Promise<void>;
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Why the gateway ended, if it ended by itself, which is a defect. */
  death(): string | undefined;
  /** What all gateways in this place have printed. */
  output(): string;
}

export function createGatewaySlot(dataDir: string, port: number, settings: Record<string, string>): GatewaySlot {
  const env = { NODE_OPTIONS: `--import=${CLOCK}`, ...settings, PORT: String(port) };
  let gateway: GatewayProcess | undefined;
  let starting: Promise<void> | undefined;
  let wanted = false;
  let death: string | undefined;
  let printed = '';

  async function startUntilUp(): Promise<void> {
    const endMs = Date.now() + START_WITHIN_MS;
    for (;;) {
      try {
        watch(await startGatewayProcess(dataDir, env));
        return;
      } catch (error) {
        printed += `\n-- did not start: ${error}\n`;
        if (Date.now() > endMs) throw error;
        await wait(START_PAUSE_MS);
      }
    }
  }

  function watch(started: GatewayProcess): void {
    gateway = started;
    wanted = true;
    started.child.once('exit', (code, signal) => {
      printed += `${started.output()}\n-- ended: ${signal ?? code}\n`;
      if (gateway !== started || !wanted) return;
      gateway = undefined;
      death = `A gateway ended by itself (${signal ?? `code ${code}`})`;
    });
  }

  return {
    url: () => gateway && `http://127.0.0.1:${port}`,
    start() {
      if (gateway !== undefined) return Promise.resolve();
      starting ??= startUntilUp().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    started: async () => starting,
    async kill() {
      const killed = gateway;
      wanted = false;
      gateway = undefined;
      await killed?.kill();
    },
    signal: (signal) => void gateway?.child.kill(signal),
    death: () => death,
    output: () => printed + (gateway?.output() ?? ''),
  };
}
