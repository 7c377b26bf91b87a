import { accessSync, constants } from 'node:fs';
import { PlainFault } from '../../src/run-tool.ts';

/** Throws a sentence if nothing can be written into a folder: else the figures of an hour would be lost at its end. */
export function requireWritable(dir: string): void {
  try {
    accessSync(dir, constants.W_OK);
  } catch {
    throw new PlainFault(`Nothing can be written into ${dir}.`, 2); // Whatever keeps it from that, another folder helps.
  }
}
