/** Lets a reader that closes a pipe, as `| head` does, end nothing but the output. Tells whether the results' reader has gone. */
export function watchClosedPipes(): () => boolean {
  let closed = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === process.stdout) closed = true;
    });
  return () => closed;
}
