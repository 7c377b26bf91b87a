import { randomBytes } from 'node:crypto';
import { createSandbox, type SandboxOptions } from '../../sandbox/server.ts';
import type { SandboxProcess } from './sandbox-process.ts';
import { readTransmits } from './transmits.ts';

export type SandboxBeside = Omit<SandboxProcess, 'child'>;

/**
 * Starts the sandbox in the process of the test, where that kills only gateways: what it has read outlives each of them, and no process has
 * to be started for it.
 */
export async function startSandboxBeside(options: Partial<SandboxOptions> = {}): Promise<SandboxBeside> {
  const { appSecret = randomBytes(32).toString('hex') } = options;
  const { url, close } = await createSandbox({ port: 0, ...options, appSecret });
  return {
    url,
    settings: { WAYPOST_SANDBOX_PORT: new URL(url).port, WAYPOST_SANDBOX_APP_SECRET: appSecret },
    transmits: (messageId) => readTransmits(url, messageId === undefined ? {} : { callback_data: messageId }),
    stop: close,
  };
}
