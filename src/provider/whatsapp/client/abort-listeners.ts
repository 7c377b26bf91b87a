/**
 * Tells many that a signal aborts by one listener on it: a signal looks through its listeners to take one away, and 50 messages of
 * one request wait for connections by the same one.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** As `addEventListener`: a signal that has aborted before tells nothing. */
  add(signal: AbortSignal, listener: () => void): void {
    const listeners = this.#bySignal.get(signal) ?? this.#listenTo(signal);
    listeners.add(listener);
  }

  delete(signal: AbortSignal, listener: () => void): void {
    this.#bySignal.get(signal)?.delete(listener);
  }

  #listenTo(signal: AbortSignal): Set<() => void> {
    const listeners = new Set<() => void>();
    this.#bySignal.set(signal, listeners);
    signal.addEventListener('abort', () => {
      for (const listener of listeners) listener();
    });
    return listeners;
  }
}
