import { readdirSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import { openFilesMax } from '../kernel/open-files.ts';

/**
 * How near the process is to having no file left to open. `process_open_fds` does not tell: counting opens a folder, so when none is left it
 * keeps what it counted before, which is usually little.
 */
export function addOpenFilesGauge(registry: Registry): void {
  const max = openFilesMax();
  new Gauge({
    name: 'waypost_open_files_ratio',
    help: 'Which part of the files and connections that the process may have open are open; 1: none is left. 0 where it is not known.',
    registers: [registry],
    collect() {
      // There are more than may be opened now if some were open before the limit was lowered.
      this.set(max === undefined ? 0 : Math.min(1, countOpenFiles(max) / max));
    },
  });
}

function countOpenFiles(max: number): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return max; // Only EMFILE keeps a process from reading its own folder, where it could read its limits.
  }
}
