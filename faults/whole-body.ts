import type { IncomingMessage } from 'node:http';

/** The body of a request; undefined if whoever sends it was killed in the middle of it. They have no answer then, and send it again. */
export function wholeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return request.toArray().then(
    (chunks) => Buffer.concat(chunks),
    () => undefined,
  );
}
