import { EXIT } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * A reader may close a pipe, as `| head` does. That ends only the output; the command goes on. The returned function says whether the
 * reader of the results has gone. If results cannot be written for another reason, such as a full disk, the process ends with a sentence.
 */
export function watchClosedPipes(around: Surroundings): () => boolean {
  const { stdout, stderr } = around;
  let closed = false;
  // Nobody is left who could read that a remark is lost. The command goes on without it.
  stderr.on('error', () => undefined);
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code === 'EPIPE') return;
    stderr.write(`The results could not be written: ${error.message}\n`);
    around.exit(EXIT.failed);
  });
  return () => closed;
}
