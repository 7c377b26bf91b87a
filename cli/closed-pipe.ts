import { EXIT } from './failure.ts';

/**
 * A reader may close a pipe, as `| head` does. That ends only the output; the command goes on. The returned function says whether the
 * reader of the results has gone. If results cannot be written for another reason, such as a full disk, the process ends with a sentence.
 */
export function watchClosedPipes(): () => boolean {
  let closed = false;
  // Nobody is left who could read that a remark is lost. The command goes on without it.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code === 'EPIPE') return;
    console.error(`The results could not be written: ${error.message}`);
    process.exit(EXIT.failed);
  });
  return () => closed;
}
