/** Waits shorter than this are part of a normal answer and are never shortened. */
const LONG_WAIT_MS = 1_000;

/**
 * Waits that can be called off together. `timeScale` divides the long ones (a second and more), so that a test of a
 * wait of 40 s need not last 40 s.
 */
export class Schedule {
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #timeScale: number;
  #over = false;

  constructor(timeScale: number) {
    this.#timeScale = timeScale;
  }

  /** Calls back after that time, unless the schedule is cleared before. The function returned calls it off. */
  after(waitMs: number, callback: () => void): () => void {
    if (this.#over) return () => {};
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        callback();
      },
      waitMs >= LONG_WAIT_MS ? waitMs / this.#timeScale : waitMs,
    );
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  /** Settles after that time; never, once the schedule is cleared: whatever awaits it is then forgotten. */
  wait(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(waitMs, resolve);
    });
  }

  /** Calls off everything, for good. */
  clear(): void {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
