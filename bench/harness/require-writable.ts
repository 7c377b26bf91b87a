import { accessSync, constants } from 'node:fs';
import { PlainFault } from '../../src/run-tool.ts';

/** Throws a sentence if nothing can be written into the folder. Otherwise the figures of an hour would be lost at the end. */
export function requireWritable(dir: string): void {
  try {
    accessSync(dir, constants.W_OK);
  } catch {
    throw new PlainFault(`Nothing can be written into ${dir}.`, 2); // Whatever the reason, another folder helps.
  }
}
