import { EXIT } from './failure.ts';

/**
 * Lets a reader that closes a pipe, as `| head` does, end nothing but the output. Tells whether the results' reader has gone.
 * Results that cannot be written for another reason, such as a full disk, end the process with a sentence.
 */
export function watchClosedPipes(): () => boolean {
  let closed = false;
  // There is nobody left to tell that a remark is lost, and what it was about goes on.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code === 'EPIPE') return;
    console.error(`The results could not be written: ${error.message}`);
    process.exit(EXIT.failed);
  });
  return () => closed;
}
