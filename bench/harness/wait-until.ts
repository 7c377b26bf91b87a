import { setTimeout as wait } from 'node:timers/promises';

const LIMIT_MS = 120_000;
const POLL_MS = 20;

/** Resolves when `isSo` says so; it is asked every `pollMs`. If it never does, the error says what was waited for. */
export async function waitUntil(what: string, isSo: () => Promise<boolean>, pollMs = POLL_MS): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`It was waited for in vain that ${what}`);
    await wait(pollMs);
  }
}
