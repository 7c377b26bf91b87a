/** Waits shorter than this are part of a normal answer and are never shortened. */
const LONG_WAIT_MS = 1_000;

/**
 * Waits that can be cancelled together. `timeScale` divides the long ones (a second and more), so that a test of a wait of 40 s need not
 * last 40 s.
 */
export class Schedule {
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #timeScale: number;
  #over = false;

  constructor(timeScale: number) {
    this.#timeScale = timeScale;
  }

  /** Whether it was cleared. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Calls back after that time, unless the schedule is cleared before. The function that is returned cancels it. */
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

  /** Resolves after that time. If the schedule is cleared before, it stays pending, and the code that awaits it is forgotten. */
  wait(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(waitMs, resolve);
    });
  }

  /** Cancels everything, for good. */
  clear(): void {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
