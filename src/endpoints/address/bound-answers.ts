import type { Socket } from 'node:net';

/** More came to one request than an answer may have, in whatever form. */
export class AnswerTooLong extends Error {}

/**
 * Eight times the headers and the body that are allowed, for what undici does not count of an answer: interim answers, extensions
 * of chunks, and empty lines before it. An endpoint could send gigabytes of them within an attempt's time.
 */
const BYTES_MAX = 1 << 20;
/**
 * Tickets, new keys, and handshakes that begin anew. A few tickets are usual; each of the others costs us much more than the
 * bytes in which it came.
 */
const TLS_MESSAGES_MAX = 32;
/** For what TLS takes in silence. */
const LOOK_EVERY_MS = 250;

/**
 * Breaks a connection on which more than a mebibyte comes without another request having been written. Counted is what comes
 * `below` TLS, since a byte of an answer may have a record of its own, and a record none; without TLS that is the same socket.
 */
export function boundAnswers(socket: Socket, below: Socket): void {
  let written = 0;
  let readBefore = 0;
  let messages = 0;
  const look = (): void => {
    const { bytesWritten } = socket;
    const { bytesRead } = below;
    if (bytesWritten !== written) {
      written = bytesWritten;
      readBefore = bytesRead;
      messages = 0;
    } else if (bytesRead - readBefore > BYTES_MAX || messages > TLS_MESSAGES_MAX) socket.destroy(new AnswerTooLong());
  };
  const count = (): void => {
    messages += 1;
    look();
  };
  // A reader of the connection like undici, but one that takes nothing: it is told before each part is read.
  socket.on('readable', look);
  // The secrets that come with the event are left alone. It is the only one that tells of new keys.
  socket.on('session', count).on('keylog', count);
  const looking = setInterval(look, LOOK_EVERY_MS).unref();
  socket.once('close', () => clearInterval(looking));
}
