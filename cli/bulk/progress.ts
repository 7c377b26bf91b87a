import { type Terminal, widthOf } from '../table.ts';
import type { Totals } from './report-file.ts';

export interface Progress {
  /** Shows how far the run has come. */
  update(): void;
  /** Shows why the run does not go on at the moment. */
  waiting(reason: string): void;
  /** Takes the bar away. Nothing is shown any more. */
  end(): void;
}

const BAR_CELLS = 24;
/** If there is no bar, a line now and then is enough. */
const LINE_EVERY_MS = 5_000;
/** How long the reason for a wait stays in the bar. */
const REASON_MS = 2_000;

/** Shows a bar on a terminal; elsewhere writes a line every five seconds. `before` rows were done by an earlier run. */
export function createProgress(total: number, before: number, totals: Totals, stream: Terminal): Progress {
  const startMs = performance.now();
  let lineMs = startMs;
  let reason: { text: string; atMs: number } | undefined;
  let ended = false;
  const describe = () => {
    const { accepted, failed, unknown } = totals;
    const done = accepted + failed + unknown;
    const perMs = (done - before) / (performance.now() - startMs);
    const left = perMs > 0 ? `, about ${Math.ceil((total - done) / perMs / 1_000)} s left` : '';
    const why = reason !== undefined && performance.now() - reason.atMs < REASON_MS ? `  (${reason.text})` : '';
    return { done, text: `${done}/${total}  ${accepted} accepted, ${failed} failed, ${unknown} unknown${left}${why}` };
  };
  const draw = () => {
    // What was under way when a run has failed is broken off, and tells of itself when the failure is being told.
    if (ended) return;
    const { done, text } = describe();
    if (stream.isTTY) {
      const full = Math.round((done / total) * BAR_CELLS);
      const bar = `[${'#'.repeat(full)}${' '.repeat(BAR_CELLS - full)}] ${text}`;
      const width = widthOf(stream) ?? Number.POSITIVE_INFINITY;
      stream.write(`\r${bar.slice(0, width - 1)}\u001b[K`);
    } else if (performance.now() - lineMs > LINE_EVERY_MS) {
      lineMs = performance.now();
      stream.write(`${text}\n`);
    }
  };
  return {
    update: draw,
    waiting(text) {
      reason = { text, atMs: performance.now() };
      draw();
    },
    end() {
      ended = true;
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}
