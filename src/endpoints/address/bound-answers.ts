import type { Socket } from 'node:net';

/** More came to one request than an answer may have, in whatever form. */
export class AnswerTooLong extends Error {}

/**
 * Eight times the headers and the body that are allowed, for what undici does not count of an answer: interim answers, extensions
 * of chunks, and empty lines before it. An endpoint could send gigabytes of them within an attempt's time.
 */
const BYTES_MAX = 1 << 20;

/** Breaks a connection on which more than a mebibyte comes without another request having been written. */
export function boundAnswers(socket: Socket): void {
  let written = 0;
  let readBefore = 0;
  // A reader of the connection like undici, but one that takes nothing: it is told before each part is read.
  socket.on('readable', () => {
    const { bytesRead, bytesWritten } = socket;
    if (bytesWritten !== written) {
      written = bytesWritten;
      readBefore = bytesRead;
    } else if (bytesRead - readBefore > BYTES_MAX) socket.destroy(new AnswerTooLong());
  });
}
