/** A hidden tab draws no frames. Items are then handed over after this time. */
const LONGEST_MS = 1_000;

/** Collects items, and hands them over once for each frame that is drawn, however many come. */
export function createBatch<Item>(take: (items: Item[]) => void): { add(items: readonly Item[]): void; stop(): void } {
  let waiting: Item[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function stopWaiting(): Item[] {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    const items = waiting;
    waiting = [];
    return items;
  }

  const flush = () => take(stopWaiting());

  return {
    add(items) {
      for (const item of items) waiting.push(item);
      if (frame !== undefined || waiting.length === 0) return;
      frame = requestAnimationFrame(flush);
      timer = setTimeout(flush, LONGEST_MS);
    },
    stop() {
      stopWaiting();
    },
  };
}
