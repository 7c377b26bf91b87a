import { type SandboxProcess, startSandboxProcess } from '../../test/support/sandbox-process.ts';

/** The place of the sandbox. One that is started again has forgotten everything. */
export interface SandboxSlot {
  appSecret: string;
  url(): string | undefined;
  start(): Promise<void>;
  kill(): void;
  signal(signal: NodeJS.Signals): void;
}

export function createSandboxSlot(appSecret: string, callbackUrl: string, latencyMs: number): SandboxSlot {
  let sandbox: SandboxProcess | undefined;
  return {
    appSecret,
    url: () => sandbox?.url,
    async start() {
      if (sandbox !== undefined) return;
      const settings = {
        WAYPOST_SANDBOX_APP_SECRET: appSecret,
        WAYPOST_SANDBOX_LATENCY_MS: String(latencyMs),
        WAYPOST_CALLBACK_URL: callbackUrl,
      };
      sandbox = await startSandboxProcess(settings);
    },
    kill() {
      sandbox?.child.kill('SIGKILL');
      sandbox = undefined;
    },
    signal: (signal) => void sandbox?.child.kill(signal),
  };
}
