import { type SandboxProcess, startSandboxProcess } from '../../test/support/sandbox-process.ts';

/** A place for the sandbox. After a kill another one starts, which remembers nothing. */
export interface SandboxSlot {
  url(): string | undefined;
  start(): Promise<void>;
  kill(): void;
  signal(signal: NodeJS.Signals): void;
}

export function createSandboxSlot(settings: Record<string, string>): SandboxSlot {
  let sandbox: SandboxProcess | undefined;
  let starting: Promise<void> | undefined;

  async function startOne(): Promise<void> {
    sandbox = await startSandboxProcess(settings);
  }

  return {
    url: () => sandbox?.url,
    start() {
      if (sandbox !== undefined) return Promise.resolve();
      // Two faults may call this at the same time.
      starting ??= startOne().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    kill() {
      sandbox?.child.kill('SIGKILL');
      sandbox = undefined;
    },
    signal: (signal) => void sandbox?.child.kill(signal),
  };
}
