const FIRST_PAUSE_MS = 50;
/** A server that is back is noticed within this time, and one that is gone is not asked more often than this by each gateway. */
const PAUSE_MAX_MS = 1_000;

/**
 * Keeps a server that cannot be connected to from a storm of attempts, while it is away and when it comes back. After a
 * failure one connection is tried at a time, at growing distances with jitter; everybody else gets the last failure at once.
 * What was let in before the first failure still tries.
 */
export function createConnectGate(): <Connected>(connect: () => Promise<Connected>) => Promise<Connected> {
  let failure: { reason: unknown } | undefined;
  let pauseMs = 0;
  let nextMs = 0;
  let probing = false;

  return async (connect) => {
    if (failure !== undefined && (probing || performance.now() < nextMs)) throw failure.reason;
    const isProbe = failure !== undefined;
    probing ||= isProbe;
    try {
      const connected = await connect();
      failure = undefined;
      pauseMs = 0;
      return connected;
    } catch (reason) {
      // Of several that fail together only the first makes the next pause longer.
      if (failure === undefined || isProbe) {
        pauseMs = Math.min(PAUSE_MAX_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
        nextMs = performance.now() + pauseMs * (0.5 + Math.random() / 2);
      }
      failure = { reason };
      throw reason;
    } finally {
      if (isProbe) probing = false;
    }
  };
}
